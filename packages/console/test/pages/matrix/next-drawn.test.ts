import { describe, expect, test } from 'vitest';
import { listColumns } from '../../../src/pages/matrix/grid-columns.ts';
import { type DrawnRow, isAllDrawn, nextDrawn } from '../../../src/pages/matrix/next-drawn.ts';
import { role } from './matrix-samples.ts';

const roles = Array.from({ length: 40 }, (_, index) => role('r'.repeat(index + 1), ''));
const columnsFrom = (first: number) =>
  listColumns(
    Array.from({ length: 10 }, (_, index) => first + index),
    roles,
    48,
  );
const columns = columnsFrom(0);
/** What a new row costs: its cells and its head. */
const rowCells = 15;
/** Places, each in the element of its index. */
const drawn = (...places: number[]): DrawnRow[] => places.map((place, slot) => ({ place, slot, columns }));
const placesOf = (rows: readonly DrawnRow[]) =>
  rows.map(({ place }) => place).sort((one, other) => one - other);
const wanted = (places: readonly number[], pinned = -1) => ({ places, columns, pinned });
const window = [10, 11, 12, 13, 14, 15, 16];

test('keeps a drawn row in its element while it is wanted', () => {
  expect(nextDrawn(drawn(16, 9, 10), wanted([10, 16]), 0)).toEqual([
    { place: 16, slot: 0, columns },
    { place: 10, slot: 2, columns },
  ]);
});

test('a few more rows come at a time, from the middle outwards', () => {
  const first = nextDrawn([], wanted(window), 3 * rowCells);
  expect(placesOf(first)).toEqual([12, 13, 14]);
  expect(isAllDrawn(first, wanted(window))).toBe(false);
  const last = nextDrawn(nextDrawn(first, wanted(window), 3 * rowCells), wanted(window), 3 * rowCells);
  expect(placesOf(last)).toEqual(window);
  expect(isAllDrawn(last, wanted(window))).toBe(true);
});

test('draws the focused row at once', () => {
  expect(placesOf(nextDrawn([], wanted([2, ...window], 2), 2 * rowCells))).toEqual([2, 13]);
  expect(placesOf(nextDrawn([], wanted([2, ...window], 2), 0))).toEqual([2]);
});

describe('other columns', () => {
  const moved = columnsFrom(2);
  const far = columnsFrom(30);

  test('come in all rows at once where few are new', () => {
    const next = nextDrawn(drawn(...window), { ...wanted(window), columns: moved }, window.length * 7);
    expect(next.every((row) => row.columns === moved)).toBe(true);
  });

  test('come in a few rows at a time where many are new, and the others stay as they are', () => {
    const next = nextDrawn(drawn(...window), { ...wanted(window), columns: far }, 2 * rowCells);
    expect(next.filter((row) => row.columns === far).map(({ place }) => place)).toEqual([12, 13]);
    expect([placesOf(next), next.filter((row) => row.columns === columns).length]).toEqual([window, 5]);
    expect(isAllDrawn(next, { ...wanted(window), columns: far })).toBe(false);
  });

  test('are new where they are those of other roles', () => {
    const others = listColumns([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], roles.toReversed(), 48);
    const next = nextDrawn(drawn(...window), { ...wanted(window), columns: others }, 2 * rowCells);
    expect(next.filter((row) => row.columns === others)).toHaveLength(2);
  });
});

describe('an element', () => {
  test('whose row is out of sight is filled with one that comes, and no other is made', () => {
    const next = nextDrawn(drawn(1, 2, 3, 4, 5, 6, 7), wanted(window), 1000);
    expect(placesOf(next)).toEqual(window);
    expect(next.map(({ slot }) => slot)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test('waits as it is while rows are still missing, and goes when none is', () => {
    const first = nextDrawn(drawn(1, 2, 3, 4), wanted([10, 11, 12]), 2 * rowCells);
    expect(placesOf(first)).toEqual([1, 2, 10, 11]);
    const last = nextDrawn(first, wanted([10, 11, 12]), 2 * rowCells);
    expect([placesOf(last), last.every(({ slot }) => slot < 4)]).toEqual([[10, 11, 12], true]);
  });

  test('never belongs to two rows at once, and keeps its position in the document', () => {
    let rows: DrawnRow[] = [];
    for (const from of [0, 3, 40, 38, 0, 100, 96]) {
      const places = Array.from({ length: 8 }, (_, index) => from + index);
      for (let frame = 0; frame < 3; frame += 1) {
        rows = nextDrawn(rows, wanted(places, 5), 3 * rowCells);
        const slots = rows.map(({ slot }) => slot);
        expect(slots).toEqual([...new Set(slots)].sort((one, other) => one - other));
      }
      expect(isAllDrawn(rows, wanted(places))).toBe(true);
    }
  });
});
