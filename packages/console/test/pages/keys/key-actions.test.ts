import { expect, test } from 'vitest';
import { actionsOf } from '../../../src/pages/keys/key-actions.ts';

test('a retired key stays retired', () => {
  expect(actionsOf('retired')).toEqual([]);
});

test('the key that signs is retired in an emergency only', () => {
  expect(actionsOf('signing')).toEqual(['emergency']);
});

test('offers no emergency for a key that has signed no token', () => {
  expect(actionsOf('standby')).not.toContain('emergency');
});
