// Builds the package of `npm create portcullis` into packages/create-portcullis/dist/: one program, the templates, and
// a package.json that is made from the private one beside the sources.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { endOnOldNode } from './node-check.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const from = `${root}packages/create-portcullis/`;
const dist = `${from}dist/`;

interface Manifest {
  readonly name: string;
  readonly engines: { readonly node: string };
  readonly [field: string]: unknown;
}
const manifest = JSON.parse(await readFile(`${from}package.json`, 'utf8')) as Manifest;

await rm(dist, { recursive: true, force: true });
await mkdir(dist);
await build({
  input: { program: `${from}src/main.ts` },
  platform: 'node',
  // At the same folder depth as the sources, because they look for the templates relative to their folder.
  output: { dir: `${dist}lib`, format: 'esm', entryFileNames: '[name].js', minify: false },
  logLevel: 'warn',
});
const command = `#!/usr/bin/env node\n${endOnOldNode(manifest)}import('./lib/program.js');\n`;
await writeFile(`${dist}main.js`, command, { mode: 0o755 });
await cp(`${from}templates`, `${dist}templates`, { recursive: true });
await cp(`${root}LICENSE`, `${dist}LICENSE`);
await writeFile(`${dist}README.md`, await readFile(`${from}README.md`));
const { private: _, exports: __, ...kept } = manifest;
const published = { ...kept, bin: { 'create-portcullis': 'main.js' } };
await writeFile(`${dist}package.json`, `${JSON.stringify(published, undefined, 2)}\n`);
