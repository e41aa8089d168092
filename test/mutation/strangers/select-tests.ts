// Which test files see a file of a module first: those that import it or are named after it, then those of its folder, then
// the others of the module. Among equals, the quick ones.
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Module } from './modules.ts';

export interface Stage {
  readonly project: string;
  readonly files: readonly string[];
}

/** `times`: what files took before, in milliseconds. */
export function selectTests(
  root: string,
  module: Module,
  file: string,
  times: ReadonlyMap<string, number>,
): Stage[] {
  const own = find(root, module.unit);
  const importers = find(root, ['packages/*/test/**/*.test.ts']).filter((test) => imports(root, test, file));
  const nearness = (test: string) => {
    if (importers.includes(test) || basename(test) === `${basename(file, '.ts')}.test.ts`) return 0;
    return inner(test) === inner(file) ? 1 : 2;
  };
  // Size is a first guess of the time.
  const time = (test: string) => times.get(test) ?? statSync(join(root, test)).size;
  const quick = (files: readonly string[]) => files.toSorted((a, b) => time(a) - time(b));
  return [
    {
      project: 'unit',
      files: quick([...new Set([...own, ...importers])]).sort((a, b) => nearness(a) - nearness(b)),
    },
    { project: 'conformance', files: quick(find(root, module.conformance)) },
    { project: 'attack', files: quick(find(root, module.attack)) },
  ].filter(({ files }) => files.length > 0);
}

function find(root: string, globs: readonly string[]): string[] {
  return [...new Set(globSync([...globs], { cwd: root }))].sort();
}

/** The folders below `src` or `test` of the package. */
function inner(file: string): string {
  return dirname(file).split('/').slice(3).join('/');
}

function imports(root: string, test: string, file: string): boolean {
  const specifiers = readFileSync(join(root, test), 'utf8').matchAll(/from '(\.[^']+)'/g);
  return [...specifiers].some(([, path = '']) => join(dirname(test), path) === file);
}
