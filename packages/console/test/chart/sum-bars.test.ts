import { expect, it } from 'vitest';
import { sumBars } from '../../src/chart/sum-bars.ts';

it('has no highest bar where all are empty', () => {
  expect(sumBars([{ from: 0, to: 1, logins: 0, failures: 0 }])).toEqual({
    logins: 0,
    failures: 0,
    highest: undefined,
  });
});

it('sums both, and finds the bar with the most of them together', () => {
  const bars = [
    { from: 0, to: 1, logins: 5, failures: 0 },
    { from: 1, to: 2, logins: 3, failures: 4 },
    { from: 2, to: 3, logins: 7, failures: 0 },
  ];
  expect(sumBars(bars)).toEqual({ logins: 15, failures: 4, highest: bars[1] });
});
