// Which controls a change calls for: those of the modules that it touches.
import { execFileSync } from 'node:child_process';
import { listOf } from '../weaknesses/all.ts';
import { placesOf, type Weakness } from '../weaknesses/weakness.ts';

/**
 * Since a revision, with what is not committed. Without one: since the main branch, or since the commit before where this is the
 * main branch. Undefined where the revision is unknown: then every module may have changed.
 */
export function findChangedFiles(root: string, since: string): string[] | undefined {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const list = (...words: string[]) =>
    git(...words, '-z')
      .split('\0')
      .filter(Boolean);
  const baseOf = (revision: string) => {
    try {
      return git('merge-base', revision, 'HEAD');
    } catch {
      return undefined;
    }
  };
  const head = git('rev-parse', 'HEAD');
  const usual = () =>
    [baseOf('origin/main'), baseOf('main')].find((each) => each !== undefined && each !== head);
  const base = since === '' ? (usual() ?? baseOf('HEAD~1')) : baseOf(since);
  if (base === undefined) return undefined;
  return [...list('diff', '--name-only', base), ...list('ls-files', '--others', '--exclude-standard')];
}

/** A folder of the first or second level of the server, such as `packages/server/src/sign-in/mfa`; else the package or the file. */
export function moduleOf(file: string): string {
  const [, ofServer] = /^(packages\/server\/src(?:\/[\w-]+){1,2})\//.exec(file) ?? [];
  const [, ofPackage] = /^(packages\/[\w-]+\/src)\//.exec(file) ?? [];
  return ofServer ?? ofPackage ?? file;
}

/** Also where a test of it was changed, or the list that it is in. */
export function touches(files: readonly string[], weakness: Weakness): boolean {
  const modules = new Set(files.map(moduleOf));
  return (
    placesOf(weakness).some(({ file }) => modules.has(moduleOf(file))) ||
    modules.has(listOf(weakness)) ||
    weakness.seenBy.some((test) => modules.has(test))
  );
}
