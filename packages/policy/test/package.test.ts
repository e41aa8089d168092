import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const sources = readdirSync(new URL('src/', root), { encoding: 'utf8', recursive: true })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(new URL(`src/${name}`, root), 'utf8') }));

it('has no dependencies', () => {
  const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
    expect(manifest[kind] ?? {}).toEqual({});
  }
});

it('imports only its own files, so that it runs in a browser', () => {
  for (const { name, text } of sources) {
    const imported = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, from]) => from);
    const isOwn = (from = '') =>
      from.startsWith('.') &&
      new URL(from, new URL(`src/${name}`, root)).href.startsWith(`${new URL('src/', root)}`);
    expect(imported.filter((from) => !isOwn(from))).toEqual([]);
    expect(
      `${name}: ${/\b(?:process|Buffer|require|__dirname|global|window|document)\b[.(]/.exec(text)?.[0]}`,
    ).toBe(`${name}: undefined`);
  }
});

it('builds no regular expression and no code from data', () => {
  for (const { name, text } of sources) {
    expect(`${name}: ${/\bRegExp\b|\beval\b|\bnew Function\b|\bsetTimeout\b/.exec(text)?.[0]}`).toBe(
      `${name}: undefined`,
    );
  }
});

it('opens each file with what the file decides', () => {
  for (const { name, text } of sources) expect(`${name}: ${text.startsWith('// ')}`).toBe(`${name}: true`);
});
