import { describe, expect, test } from 'vitest';
import { moveInTree, type TreeRow } from '../../../src/pages/departments/tree-keys.ts';

const row = (name: string, level: number, isOpen?: boolean): TreeRow => ({ name, level, isOpen });
const rows = [
  row('Head office', 1, true), // 0
  row('Finance', 2), // 1
  row('Sales', 2, true), // 2
  row('Sales North', 3), // 3
  row('Warehouse', 2, false), // 4
  row('Empty', 1, true), // 5, still loading
];
const to = (place: number) => ({ kind: 'focus', place });
const press = { kind: 'press' };

describe('moveInTree', () => {
  test.each([
    ['ArrowUp', 0, 'at the first row'],
    ['ArrowDown', 5, 'at the last row'],
    ['ArrowLeft', 99, 'from a row that is gone'],
    ['ArrowRight', 1, 'into a row with nothing below'],
    ['ArrowRight', 5, 'into a row whose rows are still loading'],
    ['Tab', 2, 'for a key that is not its own'],
    ['q', 0, 'to a letter that no row begins with'],
  ])('ignores %s at row %i %s', (key, place) => {
    expect(moveInTree(rows, place, key)).toBeUndefined();
  });

  test.each([
    ['ArrowDown', 0, to(1)],
    ['ArrowUp', 4, to(3)],
    ['Home', 3, to(0)],
    ['End', 1, to(5)],
    ['ArrowRight', 4, press],
    ['ArrowRight', 2, to(3)],
    ['ArrowLeft', 2, press],
    ['ArrowLeft', 3, to(2)],
    ['ArrowLeft', 4, to(0)],
    ['Enter', 2, press],
    [' ', 1, press],
    ['s', 2, to(3)],
    ['S', 3, to(2)],
  ])('follows %s at row %i', (key, place, move) => {
    expect(moveInTree(rows, place, key)).toEqual(move);
  });

  test('ArrowLeft leads nowhere from a closed row at the top', () => {
    expect(moveInTree([row('A', 1), row('B', 1, false)], 1, 'ArrowLeft')).toBeUndefined();
  });
});
