// The closing line of a suite counts what was left out and what was done again, in whatever process.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { notesVariable } from '../rig/notes.ts';

/** A separate suite: what it prints, and its exit code. */
function runSuite(script: string) {
  const { [notesVariable]: _notes, ...env } = process.env;
  const module = `import { closeSuite, collectNotes, note } from './test/rig/notes.ts';
    import { isJudged } from './test/rig/judges-times.ts';
    import { spawnSync } from 'node:child_process';
    ${script}`;
  const words = ['--input-type=module-typescript', '--eval', module];
  const { status, stdout } = spawnSync(process.execPath, words, {
    encoding: 'utf8',
    env: { ...env, CI: 'true' },
  });
  return { status, last: stdout.trimEnd().split('\n').at(-1), stdout };
}

describe('a suite', () => {
  it('fails after too many retries', () => {
    const { status, last } = runSuite(`collectNotes();
      for (let n = 0; n < 3; n += 1) note('retried', 'a login', 2);
      closeSuite({ passed: 5, failed: 0 });`);
    expect([status, last]).toEqual([1, '5 passed, 1 failed, 3 retried']);
  });

  it('counts each unjudged check once, and every retry', () => {
    const { status, last, stdout } = runSuite(`collectNotes();
      for (let n = 0; n < 3; n += 1) isJudged('a time');
      for (let n = 0; n < 2; n += 1) note('retried', 'a login', 2);
      note('skipped', 'a framework');
      closeSuite({ passed: 5, failed: 0, skipped: 1, notJudged: 1 });`);
    expect([status, last]).toEqual([0, '5 passed, 0 failed, 2 skipped, 2 not judged, 2 retried']);
    expect(stdout).toContain('not judged: a time\n');
    expect(stdout).toContain('retried: a login (2 times)\n');
  });

  it('counts what its processes note, and each suite its own', () => {
    const { last, stdout } = runSuite(`collectNotes();
      const words = ['--input-type=module-typescript', '--eval', "import { note } from './test/rig/notes.ts'; note('late', 'an answer');"];
      spawnSync(process.execPath, words);
      closeSuite({ passed: 1, failed: 0 });
      closeSuite({ passed: 2, failed: 0 });`);
    expect(stdout).toContain('1 passed, 0 failed, 1 late\n');
    expect(last).toBe('2 passed, 0 failed');
  });

  it('notes nothing where no suite asks for it', () => {
    expect(runSuite(`note('late', 'an answer'); closeSuite({ passed: 1, failed: 0 });`).last).toBe(
      '1 passed, 0 failed',
    );
  });
});
