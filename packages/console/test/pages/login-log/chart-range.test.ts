import { expect, it } from 'vitest';
import { chartRange } from '../../../src/pages/login-log/chart-range.ts';

const now = Date.parse('2026-11-15T10:00:00.000Z');

it('is that of the filter', () => {
  const range = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-02T00:00:00.000Z' };
  expect(chartRange(range, now)).toEqual({ ...range, isCut: false });
  expect(chartRange({ last: '24h' }, now)).toEqual({
    from: '2026-11-14T10:00:00.000Z',
    to: '2026-11-15T10:00:00.000Z',
    isCut: false,
  });
});

it('is 30 days and cut where the filter has no beginning', () => {
  expect(chartRange({}, now)).toMatchObject({ from: '2026-10-16T10:00:00.000Z', isCut: true });
  expect(chartRange({ to: '2026-06-30T00:00:00.000Z' }, now)).toEqual({
    from: '2026-05-31T00:00:00.000Z',
    to: '2026-06-30T00:00:00.000Z',
    isCut: true,
  });
});

it('is never longer than the service counts', () => {
  const { from, to, isCut } = chartRange({ from: '2020-01-01T00:00:00.000Z' }, now);
  expect(isCut).toBe(true);
  expect(Date.parse(to) - Date.parse(from)).toBeLessThan(92 * 86_400_000);
});

it('is empty, and no error, where the filter begins in the future', () => {
  const { from, to } = chartRange({ from: '2030-01-01T00:00:00.000Z' }, now);
  expect(from).toBe(to);
});
