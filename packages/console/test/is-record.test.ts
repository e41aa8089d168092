import { expect, it } from 'vitest';
import { isRecord } from '../src/is-record.ts';

it.each([undefined, null, 7, 'text', true, [], [{}]])('rejects %j', (value) => {
  expect(isRecord(value)).toBe(false);
});

it('is one, with fields or without', () => {
  expect(isRecord({})).toBe(true);
  expect(isRecord({ a: 1 })).toBe(true);
});
