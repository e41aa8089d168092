import { expect, test } from 'vitest';
import { formatSince } from '../../src/language/format-since.ts';

const now = Date.parse('2026-11-16T12:00:00Z');

test.each([
  [-5, 'now'],
  [0, 'now'],
  [59, 'now'],
  [60, '1 min ago'],
  [200, '3 min ago'],
  [7300, '2 hr ago'],
  [86_400, 'yesterday'],
  [86_400 * 40, 'last mo'],
])('%i seconds are %s', (seconds, expected) => {
  expect(formatSince('en', now - seconds * 1000, now).replace('.', '')).toBe(expected);
});

test('says it in Chinese too', () => {
  expect(formatSince('zh-CN', now - 180_000, now)).toBe('3分钟前');
});
