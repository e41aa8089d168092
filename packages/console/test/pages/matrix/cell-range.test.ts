import { expect, test } from 'vitest';
import { isInRange, rangeBetween } from '../../../src/pages/matrix/cell-range.ts';

test('returns the rectangle between two cells, in either order', () => {
  const range = { firstRow: 2, lastRow: 12, firstColumn: 3, lastColumn: 4 };
  expect(rangeBetween({ row: 12, column: 3 }, { row: 2, column: 4 })).toEqual(range);
  expect(rangeBetween({ row: 2, column: 4 }, { row: 12, column: 3 })).toEqual(range);
});

test('the row of the roles and the column of the endpoints are in no range', () => {
  expect(rangeBetween({ row: 0, column: 0 }, { row: 2, column: 2 })).toEqual({
    firstRow: 1,
    lastRow: 2,
    firstColumn: 1,
    lastColumn: 2,
  });
});

test('finds whether a cell is inside a range', () => {
  const range = rangeBetween({ row: 2, column: 2 }, { row: 3, column: 2 });
  expect(isInRange(range, { row: 3, column: 2 })).toBe(true);
  for (const place of [
    { row: 1, column: 2 },
    { row: 4, column: 2 },
    { row: 2, column: 1 },
    { row: 2, column: 3 },
  ])
    expect(isInRange(range, place)).toBe(false);
});
