import { expect, it } from 'vitest';
import { fillDays, shownDays } from '../../../src/pages/endpoints/fill-days.ts';

const now = Date.parse('2026-03-01T00:30:00Z');

it('has every day up to today once, oldest first, in UTC', () => {
  const days = fillDays([], now).map(({ day }) => day);
  expect(days).toHaveLength(shownDays);
  expect(new Set(days).size).toBe(shownDays);
  expect([days.at(0), days.at(-2), days.at(-1)]).toEqual(['2026-01-31', '2026-02-28', '2026-03-01']);
});

it('has the uses of the days that had any, and leaves out older ones', () => {
  const known = [
    { day: '2026-03-01', uses: 3 },
    { day: '2026-02-27', uses: 8 },
    { day: '2026-01-01', uses: 99 },
  ];
  const filled = fillDays(known, now);
  expect(filled.filter(({ uses }) => uses > 0)).toEqual([known[1], known[0]]);
});
