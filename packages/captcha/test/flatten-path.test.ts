import { expect, it } from 'vitest';
import { flattenPath } from '../src/flatten-path.ts';

it.each(['L1 1', 'C1 1 2 2 3 3'])('refuses a path that draws before it moves: %s', (path) => {
  expect(() => flattenPath(path)).toThrow(RangeError);
});

it.each(['M1', 'M0 0L1 2 3'])('refuses an odd number of coordinates: %s', (path) => {
  expect(() => flattenPath(path)).toThrow(RangeError);
});

it('starts a stroke at each move and ends it where the path says', () => {
  const [first, second] = flattenPath('M0 0L6 8M1 1C1 5 5 9 9 9');
  expect([first?.at(0), first?.at(-1)]).toEqual([
    { x: 0, y: 0 },
    { x: 6, y: 8 },
  ]);
  expect([second?.at(0), second?.at(-1)]).toEqual([
    { x: 1, y: 1 },
    { x: 9, y: 9 },
  ]);
});

it('puts points close together along lines and curves', () => {
  for (const stroke of flattenPath('M0 0L14 0C14 14 0 14 0 0')) {
    stroke.slice(1).forEach((point, i) => {
      const before = stroke[i] ?? point;
      expect(Math.hypot(point.x - before.x, point.y - before.y)).toBeLessThan(5);
    });
  }
});

it('puts the middle of a curve where its control points say', () => {
  const [curve] = flattenPath('M0 0C0 8 8 8 8 0');
  expect(curve?.at(4)).toEqual({ x: 4, y: 6 });
});
