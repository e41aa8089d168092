import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildBars, type CountedHour, sumByHour } from '../../src/chart/build-bars.ts';

const zone = process.env.TZ;
beforeAll(() => {
  process.env.TZ = 'Europe/Berlin';
});
afterAll(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const counted = (hour: string, reason: CountedHour['reason'], count: number): CountedHour => ({
  hour,
  outcome: reason === 'ok' || reason === 'logout' ? 'success' : 'failure',
  reason,
  count,
});

describe('bars of counted hours', () => {
  it('has a bar of nothing for an hour without logins', () => {
    const { bars, hoursPerBar } = buildBars({
      from: '2026-11-15T08:00:00.000Z',
      to: '2026-11-15T11:00:00.000Z',
      hours: [counted('2026-11-15T09:00:00.000Z', 'ok', 3)],
    });
    expect(hoursPerBar).toBe(1);
    expect(bars.map(({ logins, failures }) => [logins, failures])).toEqual([
      [0, 0],
      [3, 0],
      [0, 0],
    ]);
    expect(bars.map(({ from }) => new Date(from).toISOString().slice(11, 16))).toEqual([
      '08:00',
      '09:00',
      '10:00',
    ]);
  });

  it('widens a range to the whole hours that it touches', () => {
    const { bars } = buildBars({
      from: '2026-11-15T08:20:00.000Z',
      to: '2026-11-15T09:10:00.000Z',
      hours: [counted('2026-11-15T08:00:00.000Z', 'credentials_wrong', 2)],
    });
    expect(bars.map(({ failures }) => failures)).toEqual([2, 0]);
  });

  it('adds the reasons of failures, and counts no sign-out as a login', () => {
    const at = '2026-11-15T08:00:00.000Z';
    const sums = sumByHour([
      counted(at, 'ok', 5),
      counted(at, 'logout', 9),
      counted(at, 'credentials_wrong', 2),
      counted(at, 'throttled', 1),
    ]);
    expect(sums.get(Date.parse(at))).toEqual({ logins: 5, failures: 3 });
  });

  it.each([
    [4, 1],
    [7, 3],
    [14, 6],
    [30, 24],
    [92, 24],
  ])('shows %i days with bars of %i hours', (days, hours) => {
    const to = Date.parse('2026-11-15T00:00:00.000Z');
    const from = new Date(to - days * 86_400_000).toISOString();
    const { hoursPerBar, bars } = buildBars({ from, to: new Date(to).toISOString(), hours: [] });
    expect(hoursPerBar).toBe(hours);
    expect(bars.length).toBeLessThan(100);
    expect(bars.at(0)?.from).toBe(Date.parse(from));
    expect(bars.at(-1)?.to).toBe(to);
    for (const [place, bar] of bars.entries()) if (place > 0) expect(bar.from).toBe(bars[place - 1]?.to);
  });

  it('begins days at the midnight of the reader, also where a day has 25 hours', () => {
    const { bars } = buildBars({
      from: '2026-10-01T10:00:00.000Z',
      to: '2026-11-01T10:00:00.000Z',
      hours: [
        counted('2026-10-24T21:00:00.000Z', 'ok', 1),
        counted('2026-10-24T22:00:00.000Z', 'ok', 10),
        counted('2026-10-25T22:00:00.000Z', 'ok', 100),
        counted('2026-10-25T23:00:00.000Z', 'ok', 1000),
      ],
    });
    const longDay = bars.find(({ from }) => from === Date.parse('2026-10-24T22:00:00.000Z'));
    expect(longDay).toMatchObject({ to: Date.parse('2026-10-25T23:00:00.000Z'), logins: 110 });
    expect(bars.reduce((sum, { logins }) => sum + logins, 0)).toBe(1111);
  });
});
