import { expect, it } from 'vitest';
import { figuresFrom, sumLogins } from '../../../src/pages/overview/sum-logins.ts';

const hour = 3_600_000;
const now = new Date(2026, 10, 15, 16, 40).getTime();
const newest = Math.floor(now / hour) * hour;
const counted = (hoursAgo: number, reason: 'ok' | 'logout' | 'credentials_wrong', count: number) => ({
  hour: new Date(newest - hoursAgo * hour).toISOString(),
  outcome: reason === 'credentials_wrong' ? ('failure' as const) : ('success' as const),
  reason,
  count,
});

it('has nothing where nothing was counted', () => {
  expect(sumLogins([], now)).toEqual({ loginsToday: 0, failuresOfDay: 0, failuresOfDayBefore: 0 });
});

it('counts the logins since midnight, and no sign-outs', () => {
  const hours = [
    counted(0, 'ok', 1),
    counted(3, 'logout', 50),
    counted(16, 'ok', 10),
    counted(17, 'ok', 100),
  ];
  expect(sumLogins(hours, now).loginsToday).toBe(11);
});

it('counts the failures of 24 hours and of the 24 before', () => {
  const hours = [0, 23, 24, 47, 48].map((age, place) => counted(age, 'credentials_wrong', 10 ** place));
  expect(sumLogins(hours, now)).toMatchObject({ failuresOfDay: 11, failuresOfDayBefore: 1100 });
});

it('asks for as many hours as it needs', () => {
  expect(figuresFrom(now)).toBe(new Date(newest - 47 * hour).toISOString());
});
