// Emits the type declarations of the packages, one file per source. Imports of our packages by
// name become relative paths.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** Emits all declarations into a new folder. */
export async function emitTypes(root: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-types-'));
  const settings = `${root}packages/portcullis/tsconfig.types.json`;
  // `npm run types` has already checked the types; a second check takes five times as long.
  execFileSync(`${root}node_modules/.bin/tsc`, ['-p', settings, '--noCheck', '--outDir', folder], {
    stdio: 'inherit',
  });
  return folder;
}

/** Copies the declarations that the entries reference. If `schemaTypes` is given, it replaces typebox. */
export async function copyTypes(
  from: string,
  to: string,
  entries: readonly string[],
  schemaTypes?: string,
): Promise<void> {
  const copied = new Set(entries);
  for (const file of copied) {
    const text = await readFile(join(from, file), 'utf8');
    const written = text.replaceAll(imported, (whole, before: string, quote: string, name: string) => {
      const target = targetOf(file, name, schemaTypes);
      if (target === undefined) return whole;
      copied.add(target);
      return `${before}${quote}${pathTo(target, file)}${quote}`;
    });
    await mkdir(dirname(join(to, file)), { recursive: true });
    await writeFile(
      join(to, file),
      schemaTypes === undefined ? written : written.replaceAll(typeOfTypebox, typesOf),
    );
  }
}

const imported = /(\bfrom |\bimport\()(['"])([^'"]+)\2/g;

/** The path of one of our declarations; undefined for a third-party module. */
function targetOf(file: string, name: string, schemaTypes: string | undefined): string | undefined {
  if (name.startsWith('.')) return join(dirname(file), name).replace(/\.ts$/, '.d.ts');
  if (name === 'typebox') return schemaTypes;
  const [, ours] = /^@portcullis\/([a-z]+)$/.exec(name) ?? [];
  return ours === undefined ? undefined : `${ours}/src/index.d.ts`;
}

function pathTo(target: string, from: string): string {
  return relative(dirname(from), target)
    .replace(/^(?!\.)/, './')
    .replace(/\.d\.ts$/, '.js');
}

/**
 * `import { type Static, Type } from './schema-types.js'`: schema-types has no export `Type`, so it
 * is imported as a namespace.
 */
const typeOfTypebox = /^import (?:type )?\{([^}]*)\} from ('[^']*schema-types\.js');$/gm;

function typesOf(_: string, list: string, path: string): string {
  const names = list.split(',').map((name) => name.replace(/^\s*type\s+/, '').trim());
  const others = names.filter((name) => name !== 'Type' && name !== '');
  return [
    ...(names.includes('Type') ? [`import type * as Type from ${path};`] : []),
    ...(others.length === 0 ? [] : [`import type { ${others.join(', ')} } from ${path};`]),
  ].join('\n');
}
