// Builds the package of a library into its dist/, with a package.json made from the one beside the sources. The source
// package is private and refers to sources, so only dist/ can be published.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type OutputChunk } from 'rolldown';
import { throwOnOldNode } from './node-check.ts';
import { writeLicences } from './write-licences.ts';
import { copyTypes, emitTypes } from './write-types.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * External dependencies, with the package whose version of them applies. Users must be able to install a fix of these
 * without a release of ours. Everything else is bundled, so that an installation has at most five packages.
 */
const outside: Readonly<Record<string, string>> = { jose: 'gate', ws: 'guard' };

interface Manifest {
  readonly name: string;
  readonly engines: { readonly node: string };
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export async function buildLibrary(library: 'client' | 'guard', types: string): Promise<void> {
  const from = `${root}packages/${library}/`;
  const dist = `${from}dist/`;
  const manifest = await readManifest(library);
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist);
  const names = Object.entries(manifest.exports).map(([path, file]) => ({
    path,
    file,
    name: basename(file, '.ts'),
  }));
  const chunks = await bundleLibrary(
    dist,
    Object.fromEntries(names.map(({ name, file }) => [name, from + file])),
    // The client also runs outside Node, on every platform with `fetch`, so it gets no check of the Node version.
    library === 'guard' ? throwOnOldNode(manifest) : '',
  );
  const imported = new Set(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]));
  const dependencies = Object.entries(outside).filter(([name]) => imported.has(name));
  for (const { name } of names) await writeFile(`${dist}${name}.cjs`, doorOf(manifest, name));
  await copyTypes(
    types,
    `${dist}types/`,
    names.map(({ name }) => `${library}/src/${name}.d.ts`),
    'portcullis/src/schema-types.d.ts',
  );
  await writeLicences(chunks, root, `${dist}licenses.md`);
  await cp(`${root}LICENSE`, `${dist}LICENSE`);
  await cp(`${from}README.md`, `${dist}README.md`);
  const { private: _, devDependencies: __, dependencies: ___, exports: ____, ...kept } = manifest;
  const published = {
    ...kept,
    exports: Object.fromEntries(
      names.map(({ path, name }) => [
        path,
        {
          types: `./types/${library}/src/${name}.d.ts`,
          require: `./${name}.cjs`,
          default: `./${name}.js`,
        },
      ]),
    ),
    ...(dependencies.length === 0 ? {} : { dependencies: await versionsOf(dependencies) }),
  };
  await writeFile(`${dist}package.json`, `${JSON.stringify(published, undefined, 2)}\n`);
}

async function bundleLibrary(
  dist: string,
  input: Record<string, string>,
  first: string,
): Promise<OutputChunk[]> {
  const { output } = await build({
    input,
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'], conditionNames: ['import', 'default'] },
    external: (id) => id.startsWith('node:') || Object.hasOwn(outside, id),
    treeshake: { moduleSideEffects: false },
    output: {
      dir: dist,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      minify: false,
      intro: ({ isEntry }) => (isEntry ? first : ''),
    },
    logLevel: 'warn',
  });
  return output.filter((one) => one.type === 'chunk');
}

/**
 * The CommonJS entry: it loads the ES module (Node 22.12 and newer), or throws a sentence that names the required Node.
 */
const doorOf = (manifest: Manifest, entry: string) =>
  `${throwOnOldNode(manifest)}module.exports = require('./${entry}.js');\n`;

async function versionsOf(names: readonly (readonly [string, string])[]): Promise<object> {
  const entries = names.map(async ([name, by]) => [
    name,
    `^${(await readManifest(by)).dependencies?.[name]}`,
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(`${root}packages/${folder}/package.json`, 'utf8')) as Manifest;
}

const types = await emitTypes(root);
for (const library of ['client', 'guard'] as const) await buildLibrary(library, types);
await rm(types, { recursive: true, force: true });
