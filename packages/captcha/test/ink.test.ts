import { expect, it } from 'vitest';
import { Ink } from '../src/ink.ts';

const thin = { radiusStart: 1, radiusEnd: 1 };

it('draws nothing for a segment outside the sheet', () => {
  const ink = new Ink(8, 8);
  ink.drawSegment({ x: -20, y: -20 }, { x: 30, y: -20 }, thin);
  expect(ink.coverage.some((covered) => covered > 0)).toBe(false);
});

it('covers the middle of a segment wholly, its edge in part and the rest not', () => {
  const ink = new Ink(9, 9);
  ink.drawSegment({ x: 1, y: 4 }, { x: 7, y: 4 }, thin);
  expect([2, 3, 4, 5, 6].map((y) => ink.coverage[y * 9 + 4])).toEqual([0, 0.5, 1, 0.5, 0]);
});

it('does not darken where segments cross', () => {
  const ink = new Ink(9, 9);
  ink.drawSegment({ x: 0, y: 4 }, { x: 8, y: 4 }, thin);
  ink.drawSegment({ x: 4, y: 0 }, { x: 4, y: 8 }, thin);
  expect(Math.max(...ink.coverage)).toBe(1);
});

it('thickens towards the end when the pen does', () => {
  const ink = new Ink(40, 20);
  ink.drawSegment({ x: 5, y: 10 }, { x: 35, y: 10 }, { radiusStart: 1, radiusEnd: 5 });
  const columnSum = (x: number) =>
    Array.from({ length: 20 }, (_, y) => ink.coverage[y * 40 + x] ?? 0).reduce((sum, each) => sum + each, 0);
  expect(columnSum(34)).toBeGreaterThan(columnSum(6) + 4);
});
