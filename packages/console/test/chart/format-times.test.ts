import { expect, it } from 'vitest';
import { createTimeFormats } from '../../src/chart/format-times.ts';

const at = (hour: number, day = 15) => new Date(2026, 10, day, hour).getTime();

it('names a bar of some hours by its day and both its ends', () => {
  expect(createTimeFormats('en').span(at(9), at(12))).toBe('Sun 15 Nov, 09:00 – 12:00');
  expect(createTimeFormats('zh').span(at(9), at(12))).toMatch(/^11月15日.*周日.* 09:00 – 12:00$/);
});

it('names a bar of a whole day by its day', () => {
  expect(createTimeFormats('en').span(at(0), at(0, 16))).toBe('Sun 15 Nov');
});

it('labels a line with the day at midnight and with the hour otherwise', () => {
  const { tick } = createTimeFormats('en');
  expect(tick(at(0), 7200)).toBe('15 Nov');
  expect(tick(at(2), 7200)).toBe('02:00');
  expect(tick(at(2), 86_400)).toBe('15 Nov');
});
