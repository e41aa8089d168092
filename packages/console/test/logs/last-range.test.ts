import { expect, it } from 'vitest';
import { findRange, startOfRange } from '../../src/logs/last-range.ts';

const now = new Date(2026, 10, 15, 10, 30).getTime();

it.each(['', '5y', 'Today', undefined])('%s is no range', (text) => {
  expect(findRange(text)).toBeUndefined();
});

it('goes back so many hours', () => {
  expect(now - startOfRange('1h', now)).toBe(3_600_000);
  expect(now - startOfRange('7d', now)).toBe(7 * 86_400_000);
});

it('begins a day at midnight and a week with Monday, by the reader’s clock', () => {
  expect(startOfRange('today', now)).toBe(new Date(2026, 10, 15).getTime());
  // The 15th is a Sunday.
  expect(startOfRange('week', now)).toBe(new Date(2026, 10, 9).getTime());
  const monday = new Date(2026, 10, 16, 0, 0, 1).getTime();
  expect(startOfRange('week', monday)).toBe(new Date(2026, 10, 16).getTime());
});
