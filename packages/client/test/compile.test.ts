// Compiled as a browser's project would do it: with its library and without Node's. A client that lacks a call, or
// makes one by another method, path or content type than its endpoint declares, does not compile.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frontEndFiles } from './front-end-files.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const source = fileURLToPath(new URL('../src/', import.meta.url));

/** Each changes one line of the table. */
const broken = [
  { what: 'without a call', from: /^ {2}listRules: .*\n/m, to: '' },
  { what: 'without the call of a stream', from: /^ {2}tailLoginLogs: .*\n/m, to: '' },
  { what: 'with another path', from: "'/api/v1/users/:id/role'", to: "'/api/v1/users/:id/roles'" },
  { what: 'with another method', from: /'PUT', {4}('\/api\/v1\/users\/:id\/role')/, to: "'POST', $1" },
  { what: 'with another content type', from: "'text/event-stream'", to: "'text/plain'" },
  { what: 'with a stream that is not told', from: ", 'text/event-stream'", to: '' },
  {
    what: 'with a call of no endpoint',
    from: /^ {2}login: /m,
    to: "  refresh: ['GET', '/api/v1/x'],\n  login: ",
  },
] as const;

let folder: string;
let output: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'portcullis-client-'));
  copySource('whole');
  for (const [index, { from, to }] of broken.entries()) {
    const file = join(copySource(`broken-${index}`), 'calls.ts');
    const text = readFileSync(file, 'utf8');
    const changed = text.replace(from, to);
    expect(changed).not.toBe(text);
    writeFileSync(file, changed);
  }
  writeFileSync(join(folder, 'node-only.ts'), 'export const size = Buffer.byteLength;\n');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(browserProject()));
  output = await compile();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function copySource(name: string): string {
  const copy = join(folder, name);
  mkdirSync(copy);
  for (const file of frontEndFiles) cpSync(join(source, file), join(copy, file));
  return copy;
}

function browserProject() {
  return {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      lib: ['es2024', 'dom'],
      types: [],
      paths: { '@portcullis/contract': [join(root, 'packages/contract/src/index.ts')] },
    },
    include: ['**/*.ts'],
  };
}

async function compile(): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const run = promisify(execFile)(
    process.execPath,
    [compiler, '-p', folder, '--checkers', '1', '--pretty', 'false'],
    {
      cwd: folder,
    },
  );
  return await run.then(
    ({ stdout }) => stdout,
    (failure: { stdout: string }) => failure.stdout,
  );
}

const errorsIn = (name: string) =>
  output
    .split('\n')
    .filter(
      (line) => /^[^ ].*\): error TS/.test(line) && resolve(folder, line).startsWith(join(folder, name)),
    );

describe('compiled for a browser', () => {
  it.each(broken.map(({ what }, index) => ({ what, index })))('$what it fails', ({ index }) => {
    expect(errorsIn(`broken-${index}/`)).toEqual([expect.stringContaining('/calls.ts')]);
  });

  it('rejects globals that only Node has', () => {
    expect(errorsIn('node-only.ts')).toEqual([expect.stringContaining('Buffer')]);
  });

  it('the client compiles, and so do the declarations that its types come from', () => {
    const mine = output
      .split('\n')
      .filter((line) => line.includes('error TS') && !/^(broken-|node-only)/.test(line));
    expect(mine).toEqual([]);
  });
});
