import { expect, test } from 'vitest';
import { listStations } from '../../../src/pages/explain/list-stations.ts';
import type { Step } from '../../../src/pages/explain/question.ts';

// Every step by its name: a new one in the contract does not compile here.
const decidedAt = {
  not_canonical: 'address',
  public: 'address',
  user_disabled: 'identity',
  role_disabled: 'identity',
  password_change_required: 'password',
  identity: 'signedIn',
  admin: 'admin',
  excluded: 'exclusion',
  rule: 'rules',
  no_rule: 'rules',
} as const satisfies Record<Step, string>;

test.each(Object.entries(decidedAt))('%s decides at %s alone', (step, name) => {
  const decided = listStations(step as Step).filter(({ state }) => state === 'decided');
  expect(decided).toEqual([{ name, state: 'decided' }]);
});

test('marks the checks before the deciding one as passed, and those after it as not reached', () => {
  expect(listStations('password_change_required').map(({ state }) => state)).toEqual([
    'passed',
    'passed',
    'decided',
    'unreached',
    'unreached',
    'unreached',
    'unreached',
  ]);
});
