// Every file of deploy/ has a test or a suite that judges it: a file without one fails here.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { deployJudges } from './deploy-judges.ts';

it('names a test for each file of deploy/, and for no other', () => {
  const listed = execFileSync('git', ['ls-files', '-z', 'deploy'], { encoding: 'utf8' });
  const tracked = listed.split('\0').filter(Boolean);
  expect(tracked.length).toBeGreaterThan(20);
  expect(Object.keys(deployJudges).toSorted(), 'Name the test of the file in deploy-judges.ts.').toEqual(
    tracked.toSorted(),
  );
});

it.each(Object.entries(deployJudges))('%s is named by the test that judges it', (file, [test, words]) => {
  expect(file.endsWith(words)).toBe(true);
  expect(readFileSync(test, 'utf8').includes(words), `${test} does not name ${words}.`).toBe(true);
});
