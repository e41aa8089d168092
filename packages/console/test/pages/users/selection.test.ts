import { expect, test } from 'vitest';
import { nothingSelected, type Selection, toggle } from '../../../src/pages/users/selection.ts';

const shown = [10, 20, 30, 40, 50];
const click = (selection: Selection, id: number, isRange = false) =>
  toggle(selection, id, { shown, isRange });
const listOf = ({ ids }: Selection) => [...ids].toSorted((a, b) => a - b);

test('a click selects one, and a second one lets it go', () => {
  const one = click(nothingSelected, 30);
  expect(listOf(one)).toEqual([30]);
  expect(listOf(click(one, 30))).toEqual([]);
});

test.each([
  [20, 40],
  [40, 20],
])('with Shift everything between %i and %i is selected', (from, to) => {
  expect(listOf(click(click(nothingSelected, from), to, true))).toEqual([20, 30, 40]);
});

test('with Shift on a selected one everything between is let go', () => {
  const all = click(click(nothingSelected, 10), 50, true);
  expect(listOf(click(click(all, 20), 40, true))).toEqual([10, 50]);
});

test('with Shift and nothing to begin from one is selected', () => {
  expect(listOf(click(nothingSelected, 30, true))).toEqual([30]);
  expect(listOf(click({ ids: new Set([99]), anchor: 99 }, 30, true))).toEqual([30, 99]);
});
