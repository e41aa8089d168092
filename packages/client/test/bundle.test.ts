// What a browser downloads: small, complete in itself, and without a schema or anything of Node.
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { beforeAll, expect, it } from 'vitest';
import { frontEndFiles } from './front-end-files.ts';

const limitBytes = 6 * 1024;
/** They hold types alone and vanish. */
const typesOnly = ['call.ts'];

let code: string;
let modules: string[];
let imports: string[];

beforeAll(async () => {
  const entry = fileURLToPath(new URL('../src/index.ts', import.meta.url));
  const bundle = await rolldown({ input: entry, platform: 'browser', logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  expect(output).toHaveLength(1);
  code = output[0].code;
  modules = output[0].moduleIds.map((id) => basename(id));
  imports = [...output[0].imports, ...output[0].dynamicImports];
});

it('imports nothing at run time', () => {
  expect(imports).toEqual([]);
  expect(code).not.toMatch(/\bimport\b|\brequire\b/);
});

it('holds no schema, no guard and no other package', () => {
  const expected = frontEndFiles.filter((file) => !typesOnly.includes(file) && file !== 'index.ts');
  expect(modules.filter((file) => file !== 'index.ts').sort()).toEqual([...expected].sort());
  expect(code).not.toMatch(/typebox|additionalProperties|minLength/i);
});

it('touches no global that only Node has', () => {
  expect(code).not.toMatch(/\b(process|Buffer|global|__dirname|setImmediate)\b|node:/);
});

it('is under 6 kB, compressed', () => {
  expect(code).toContain('/api/v1/login-logs/export');
  expect(gzipSync(code).length).toBeLessThan(limitBytes);
});
