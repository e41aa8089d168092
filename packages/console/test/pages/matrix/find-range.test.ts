import { describe, expect, test } from 'vitest';
import { findRange, listPlaces } from '../../../src/pages/matrix/find-range.ts';

const even = { count: 1000, offsetOf: (place: number) => place * 10, spare: 4 };

describe('findRange', () => {
  test('covers what is in sight, with spare ones around', () => {
    expect(findRange({ ...even, from: 100, to: 200 })).toEqual({ first: 4, end: 28 });
  });

  test('stays the same while less than the spare is scrolled', () => {
    expect(findRange({ ...even, from: 85, to: 195 })).toEqual(findRange({ ...even, from: 110, to: 195 }));
  });

  test('never leaves the list', () => {
    expect(findRange({ ...even, from: -500, to: 20 }).first).toBe(0);
    expect(findRange({ ...even, from: 9990, to: 20_000 }).end).toBe(1000);
    expect(findRange({ ...even, count: 0, from: 0, to: 100 })).toEqual({ first: 0, end: 0 });
  });

  test('finds its way among uneven ones', () => {
    const offsets = [0, 5, 50, 55, 100];
    const uneven = { count: 4, offsetOf: (place: number) => offsets[place] ?? 0, spare: 1 };
    expect(findRange({ ...uneven, from: 51, to: 54 })).toEqual({ first: 1, end: 4 });
  });
});

describe('listPlaces', () => {
  test('adds the focused row in its order, once', () => {
    expect(listPlaces({ first: 3, end: 6 }, 1, 10)).toEqual([1, 3, 4, 5]);
    expect(listPlaces({ first: 3, end: 6 }, 9, 10)).toEqual([3, 4, 5, 9]);
    expect(listPlaces({ first: 3, end: 6 }, 4, 10)).toEqual([3, 4, 5]);
  });

  test('adds none that does not exist', () => {
    expect(listPlaces({ first: 0, end: 2 }, -1, 2)).toEqual([0, 1]);
    expect(listPlaces({ first: 0, end: 2 }, 2, 2)).toEqual([0, 1]);
  });
});
