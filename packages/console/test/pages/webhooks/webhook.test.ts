import { expect, it } from 'vitest';
import { parseKinds, stateOf, type Webhook } from '../../../src/pages/webhooks/webhook.ts';

const sound = { enabled: true, dead: 0, restingUntil: null } as Webhook;

it.each([
  [{ enabled: false, dead: 2, restingUntil: '2026-01-01T00:00:00Z' }, 'off'],
  [{ dead: 2, restingUntil: '2026-01-01T00:00:00Z' }, 'dead'],
  [{ restingUntil: '2026-01-01T00:00:00Z' }, 'resting'],
  [{}, 'on'],
] as const)('shows the most urgent state: %j is %s', (part, state) => {
  expect(stateOf({ ...sound, ...part })).toBe(state);
});

it('reads kinds between blanks, commas and lines, and none out of nothing', () => {
  expect(parseKinds(' login.failure, user.disable\nrole.create,,')).toEqual([
    'login.failure',
    'user.disable',
    'role.create',
  ]);
  expect(parseKinds('  ')).toEqual([]);
});
