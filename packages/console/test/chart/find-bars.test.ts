import { describe, expect, it } from 'vitest';
import { findBar, findRange } from '../../src/chart/find-bars.ts';

const bars = [0, 10, 20, 30].map((from) => ({ from, to: from + 10, logins: 0, failures: 0 }));

describe('the bar under a pointer', () => {
  it('returns undefined outside of the range', () => {
    expect(findBar(bars, -1)).toBeUndefined();
    expect(findBar(bars, 40)).toBeUndefined();
  });
  it('covers the time from its first moment to the next bar', () => {
    expect(findBar(bars, 10)).toBe(1);
    expect(findBar(bars, 19.9)).toBe(1);
    expect(findBar(bars, 20)).toBe(2);
  });
});

describe('the range of a brush', () => {
  it('returns undefined where it covers no bar', () => {
    expect(findRange(bars, 50, 60)).toBeUndefined();
    expect(findRange([], 0, 1)).toBeUndefined();
  });
  it('is that of the whole bars it touched', () => {
    expect(findRange(bars, 12, 25)).toEqual({ from: 10, to: 30 });
  });
  it('leaves out a bar that it only touches at its edge', () => {
    expect(findRange(bars, 10, 20)).toEqual({ from: 10, to: 20 });
  });
  it('may go backwards and over the edges', () => {
    expect(findRange(bars, 99, 25)).toEqual({ from: 20, to: 40 });
  });
});
