// Every source path that a document names in backticks exists: whole, or as the end of a path (`gate/src/pipeline.ts`). A file
// that is moved or renamed takes its documents along.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, it } from 'vitest';

const tracked = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter(Boolean);
const folders = [
  ...new Set(tracked.flatMap((file) => [...file.matchAll(/\//g)].map(({ index }) => file.slice(0, index)))),
];
/** Those of published packages and new projects name files of the project that they are installed in. */
const documents = tracked.filter(
  (file) => file.endsWith('.md') && !/^packages\/(portcullis|create-portcullis)\//.test(file),
);

const sourceFile = /\w\.(ts|vue|sql)$/;
const ofTree = /^(packages|test|bench|scripts|deploy|docs|examples)\//;
const path = /^[\w.*{},-]+(\/[\w.*{},-]+)*\/?$/;
/** Written by a command, or a file of Next.js. */
const elsewhere = new Set(['deploy/docker/secrets', 'proxy.ts', 'middleware.ts']);

function pathsOf(text: string): string[] {
  return [...text.replace(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/`([^`\s]+)`/g)]
    .map(([, code = '']) => code)
    .filter((code) => path.test(code) && (sourceFile.test(code) || ofTree.test(code)))
    .filter((code) => !elsewhere.has(code));
}

function exists(named: string): boolean {
  const sought = named.replace(/\/$/, '');
  const all = [...tracked, ...folders];
  if (/[*{]/.test(sought))
    return all.some((each) => matchesGlob(each, sought) || matchesGlob(each, `**/${sought}`));
  return all.some((each) => each === sought || each.endsWith(`/${sought}`));
}

it.each(documents)('%s names paths that exist', (document) => {
  const missing = pathsOf(readFileSync(document, 'utf8')).filter((named) => !exists(named));
  expect(missing, 'Name the path of today, or take it out of the backticks.').toEqual([]);
});

it('finds the paths of the documents, and reports a missing one', () => {
  const found = documents.flatMap((document) => pathsOf(readFileSync(document, 'utf8')));
  expect(found.length).toBeGreaterThan(200);
  expect(pathsOf('the code is `gate/src/gone.ts`').map(exists)).toEqual([false]);
  expect(pathsOf('the code is `gate/src/pipeline.ts`').map(exists)).toEqual([true]);
});
