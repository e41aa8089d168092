import { expect, it } from 'vitest';
import { fromLocalTime, toLocalTime } from '../../src/logs/local-time.ts';

it('shows no moment as an empty field', () => {
  expect(toLocalTime(undefined)).toBe('');
  expect(toLocalTime('nonsense')).toBe('');
});

it('returns an invalid time unchanged, so that the service refuses it', () => {
  for (const text of ['', 'nonsense', '2026-11', '2026-99-99T10:00']) expect(fromLocalTime(text)).toBe(text);
});

it('shows a moment by the clock of the reader, with seconds where there are some', () => {
  expect(toLocalTime(new Date(2026, 0, 5, 7, 3).toISOString())).toBe('2026-01-05T07:03');
  expect(toLocalTime(new Date(2026, 0, 5, 7, 3, 9).toISOString())).toBe('2026-01-05T07:03:09');
});

it('reads back what it has shown', () => {
  for (const moment of ['2026-11-15T16:30:00.000Z', '2026-06-15T03:00:07.000Z'])
    expect(fromLocalTime(toLocalTime(moment))).toBe(moment);
});
