import { expect, it } from 'vitest';
import { parseTypes, stateOf, type Webhook } from '../../../src/pages/webhooks/webhook.ts';

const sound = { enabled: true, deadLetters: 0, pausedUntil: null } as Webhook;

it.each([
  [{ enabled: false, deadLetters: 2, pausedUntil: '2026-01-01T00:00:00Z' }, 'off'],
  [{ deadLetters: 2, pausedUntil: '2026-01-01T00:00:00Z' }, 'dead'],
  [{ pausedUntil: '2026-01-01T00:00:00Z' }, 'paused'],
  [{}, 'on'],
] as const)('shows the most urgent state: %j is %s', (part, state) => {
  expect(stateOf({ ...sound, ...part })).toBe(state);
});

it('reads types between blanks, commas and lines, and none out of nothing', () => {
  expect(parseTypes(' login.failure, user.disable\nrole.create,,')).toEqual([
    'login.failure',
    'user.disable',
    'role.create',
  ]);
  expect(parseTypes('  ')).toEqual([]);
});
