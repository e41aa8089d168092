import { expect, test } from 'vitest';
import { nextDrawn } from '../../../src/pages/matrix/next-drawn.ts';

const wanted = [10, 11, 12, 13, 14, 15, 16];

test('what is drawn stays, as far as it is wanted', () => {
  expect(nextDrawn([8, 9, 10, 11], wanted, -1, 0)).toEqual([10, 11]);
});

test('a few more come at a time, from the middle outwards, in their order', () => {
  const first = nextDrawn([], wanted, -1, 3);
  expect(first).toEqual([12, 13, 14]);
  expect(nextDrawn(nextDrawn(first, wanted, -1, 3), wanted, -1, 3)).toEqual(wanted);
});

test('the one with the focus comes at once', () => {
  expect(nextDrawn([], [2, ...wanted], 2, 1)).toEqual([2, 13]);
});
