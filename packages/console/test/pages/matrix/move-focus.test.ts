import { expect, test } from 'vitest';
import { moveFocus } from '../../../src/pages/matrix/move-focus.ts';

const size = { rows: 100, columns: 10, pageRows: 20 };
const plain = { ctrlKey: false, metaKey: false };
const from = { row: 50, column: 5 };

test.each([
  ['ArrowUp', { row: 49, column: 5 }],
  ['ArrowDown', { row: 51, column: 5 }],
  ['ArrowLeft', { row: 50, column: 4 }],
  ['ArrowRight', { row: 50, column: 6 }],
  ['Home', { row: 50, column: 0 }],
  ['End', { row: 50, column: 9 }],
  ['PageUp', { row: 30, column: 5 }],
  ['PageDown', { row: 70, column: 5 }],
])('%s moves within the grid', (key, to) => {
  expect(moveFocus(from, { ...plain, key }, size)).toEqual(to);
});

test('Ctrl with Home and End goes to the corners', () => {
  expect(moveFocus(from, { ...plain, ctrlKey: true, key: 'Home' }, size)).toEqual({ row: 0, column: 0 });
  expect(moveFocus(from, { ...plain, metaKey: true, key: 'End' }, size)).toEqual({ row: 99, column: 9 });
});

test('the edges hold', () => {
  expect(moveFocus({ row: 0, column: 0 }, { ...plain, key: 'ArrowUp' }, size)).toEqual({ row: 0, column: 0 });
  expect(moveFocus({ row: 95, column: 9 }, { ...plain, key: 'PageDown' }, size)).toEqual({
    row: 99,
    column: 9,
  });
});

test('other keys are left to the browser', () => {
  expect(moveFocus(from, { ...plain, key: 'Tab' }, size)).toBeUndefined();
  expect(moveFocus(from, { ...plain, ctrlKey: true, key: 'ArrowDown' }, size)).toBeUndefined();
});
