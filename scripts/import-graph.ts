// Which files of the repository a file imports, read from the sources. It runs nothing.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

export interface ImportGraph {
  /** Every source file, from the root. */
  readonly files: readonly string[];
  /** The packages that a file itself imports and that are not of the repository. */
  packagesOf(file: string): readonly string[];
  /** The file and all that it imports, directly or not; a file that is not entered is not followed. */
  reach(file: string, mayEnter?: (file: string) => boolean): ReadonlySet<string>;
}

export function readImportGraph(): ImportGraph {
  const files = globSync(
    ['packages', 'test', 'examples', 'bench', 'scripts'].map((name) => `${name}/**/*.{ts,vue}`),
    {
      cwd: root,
      exclude: (name) => name === 'node_modules' || name === 'dist',
    },
  );
  const entries = readPackageEntries();
  const imports = new Map(
    files.map((file) => [
      file,
      namesIn(readFileSync(join(root, file), 'utf8')).map(resolveFrom(file, entries)),
    ]),
  );
  return {
    files,
    packagesOf: (file) =>
      (imports.get(file) ?? []).flatMap((target) => ('name' in target ? [target.name] : [])),
    reach(file, mayEnter = () => true) {
      const reached = new Set([file]);
      for (const one of reached)
        for (const target of imports.get(one) ?? [])
          if ('file' in target && mayEnter(target.file)) reached.add(target.file);
      return reached;
    },
  };
}

type Target = { readonly file: string } | { readonly name: string };

function resolveFrom(file: string, entries: ReadonlyMap<string, string>): (name: string) => Target {
  return (name) => {
    const entry = entries.get(name);
    if (entry !== undefined) return { file: entry };
    const path = join(dirname(file), name);
    return name.startsWith('.') && existsSync(join(root, path)) ? { file: path } : { name };
  };
}

/** What is imported to be run, and what is started by its URL: types are gone by then. */
function namesIn(source: string): string[] {
  const pattern =
    /^(?:import|export) (?!type )(?:[^'";]*? from )?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]|new URL\(\s*['"](\.[^'"]+)['"],\s*import\.meta/gm;
  return [...source.matchAll(pattern)].map(([, first, second, third]) => first ?? second ?? third ?? '');
}

/** By the name that others import: `@portcullis/guard` → `packages/guard/src/index.ts`. */
function readPackageEntries(): Map<string, string> {
  return new Map(
    globSync('packages/*/package.json', { cwd: root }).flatMap((manifest) => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(root, manifest), 'utf8')) as {
        name: string;
        exports?: Record<string, unknown>;
      };
      return Object.entries(exports).flatMap(([path, target]) => {
        const file =
          typeof target === 'string'
            ? target
            : Object.values(target as object).find((one) => /\.ts$/.test(String(one)));
        return file === undefined
          ? []
          : [[join(name, path), relative(root, join(root, dirname(manifest), String(file)))] as const];
      });
    }),
  );
}
