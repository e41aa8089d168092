import { describe, expect, it } from 'vitest';
import { createBoundedMap } from '../src/bounded-map.ts';

const heldOf = (map: { has(key: number): boolean }, most: number) =>
  Array.from({ length: most }, (_, key) => key).filter((key) => map.has(key));

describe('a bounded map', () => {
  it('pushes out what was set longest ago, and nothing else, however many come', () => {
    const map = createBoundedMap<number, string>(3);
    for (let key = 0; key < 10; key += 1) map.set(key, `value ${key}`);
    expect(heldOf(map, 10)).toEqual([7, 8, 9]);
    expect(map.get(6)).toBeUndefined();
    expect(map.get(7)).toBe('value 7');
  });

  it('keeps what is set again, with its new value', () => {
    const map = createBoundedMap<number, string>(3);
    for (const key of [0, 1, 2, 0, 3, 4]) map.set(key, `value ${key}`);
    expect(heldOf(map, 5)).toEqual([0, 3, 4]);
    map.set(0, 'new');
    map.set(1, 'value 1');
    expect(heldOf(map, 5)).toEqual([0, 1, 4]);
    expect(map.get(0)).toBe('new');
  });
});
