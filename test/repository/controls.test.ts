// Controls: which a change calls for, what counts as one, and for how many threats there are some.
import { describe, expect, it } from 'vitest';
import { withShortTokens } from '../chaos/keys/client.ts';
import { withoutRecheck } from '../chaos/mappings/scenario.ts';
import { moduleOf, touches } from '../mutation/changed-modules.ts';
import type { TestOutcome } from '../mutation/control-worker.ts';
import { controls, countThreats, spread } from '../mutation/controls.ts';
import { judgeControl } from '../mutation/judge-control.ts';
import { listOf, weaknesses } from '../weaknesses/all.ts';
import { AttackSucceeded, expectAttackFails, failIfAttackSucceeded } from '../weaknesses/attack.ts';
import { placesOf } from '../weaknesses/weakness.ts';

/** It only grows. */
const leastThreats = 118;

it(`there are controls for at least ${leastThreats} threats`, () => {
  expect(countThreats(controls)).toBeGreaterThanOrEqual(leastThreats);
});

it('the weaknesses that scenarios plant are listed, in sources alone', () => {
  for (const name of [...withShortTokens, ...withoutRecheck]) {
    const weakness = weaknesses.find((each) => each.name === name);
    expect(weakness && placesOf(weakness).every(({ file }) => file.endsWith('.ts')), name).toBe(true);
  }
});

describe('the outcome of an attack', () => {
  const ends = { success: 'in', failure: ['captcha_wrong', 'credentials_wrong'] };

  it('is a success where the test says so', () => {
    expect(() => expectAttackFails('in', ends)).toThrow(AttackSucceeded);
    expect(() => failIfAttackSucceeded(true, 'a link is sent')).toThrow(AttackSucceeded);
  });

  it('is a failure where the test names it', () => {
    expectAttackFails('captcha_wrong', ends);
    failIfAttackSucceeded(false, 'a link is sent');
  });

  it.each(['unavailable', '500', undefined])('is neither where it is %s', (outcome) => {
    expect(() => expectAttackFails<unknown>(outcome, ends)).toThrow(
      expect.not.objectContaining({ name: 'AttackSucceeded' }),
    );
  });
});

describe('a control', () => {
  const succeeded: TestOutcome = {
    title: 'T01 a token > that is forged is refused',
    state: 'failed',
    isLeftOut: false,
    error: { name: 'AttackSucceeded', message: 'the outcome is "in"' },
  };
  const judge = (...outcomes: TestOutcome[]) =>
    judgeControl(['that is forged'], { outcomes, faults: [] }).result;

  it('counts where every attack that it names succeeded', () => {
    expect(judge(succeeded)).toBe('succeeded');
    expect(judge(succeeded, { ...succeeded, title: 'T01 another token that is forged' })).toBe('succeeded');
  });

  it.each<[string, TestOutcome]>([
    ['was refused', { ...succeeded, state: 'passed' }],
    ['ended with another outcome', { ...succeeded, error: { name: 'AssertionError', message: '' } }],
    ['ended with an error', { ...succeeded, error: { name: 'TypeError', message: '' } }],
    ['took too long', { ...succeeded, error: { name: 'Error', message: 'Test timed out in 60000ms.' } }],
    ['was not made, because the service did not start', { ...succeeded, state: 'skipped' }],
  ])('does not count where one %s', (_what, outcome) => {
    expect(judge(outcome)).toBe('failed');
    expect(judge(succeeded, outcome)).toBe('failed');
  });

  it('does not count where no test has the title, a file is broken or the time is over', () => {
    expect(judge()).toBe('failed');
    expect(judgeControl(['that is forged'], { outcomes: [succeeded], faults: ['SyntaxError'] }).result).toBe(
      'failed',
    );
    expect(judgeControl(['that is forged'], undefined).result).toBe('failed');
  });

  it('is not judged where its tests are left out', () => {
    expect(judge({ ...succeeded, state: 'skipped', isLeftOut: true })).toBe('not judged');
  });
});

it('takes at most so many controls, evenly spread over the list', () => {
  expect(spread([1, 2, 3, 4, 5], 3)).toEqual([1, 3, 5]);
  expect(spread([1, 2], 5)).toEqual([1, 2]);
  expect(spread([1, 2, 3])).toEqual([1, 2, 3]);
});

describe('a change', () => {
  it.each([
    ['packages/server/src/sign-in/mfa/totp/totp.ts', 'packages/server/src/sign-in/mfa'],
    ['packages/server/src/http/mount.ts', 'packages/server/src/http'],
    ['packages/gate/src/checks/permission-check.ts', 'packages/gate/src'],
    ['deploy/docker/compose.yaml', 'deploy/docker/compose.yaml'],
  ])('of %s is one of %s', (file, module) => {
    expect(moduleOf(file)).toBe(module);
  });

  it('calls for the controls of its modules, of its tests and of its lists, and for no other', () => {
    const [control] = controls;
    if (control === undefined) throw new Error('There are controls.');
    const beside = control.file.replace(/[^/]+$/, 'another.ts');
    for (const file of [control.file, beside, control.seenBy[0], listOf(control)])
      expect(touches([file], control)).toBe(true);
    expect(touches(['README.md', 'packages/console/src/main.ts'], control)).toBe(false);
  });
});
