import { expect, test } from 'vitest';
import { readOpen, toggleOpen } from '../../../src/pages/departments/open-departments.ts';

test('distinguishes an address without the parameter from one with an empty list', () => {
  expect(readOpen(undefined)).toBeUndefined();
  expect(readOpen('')).toEqual([]);
});

test('skips invalid and repeated ids', () => {
  expect(readOpen('1,x,-2,0,3,1,1e3')).toEqual([1, 3]);
});

test('adds an open department once, and removes a closed one', () => {
  expect(toggleOpen([1, 2], 2, true)).toEqual([1, 2]);
  expect(toggleOpen([1, 2], 1, false)).toEqual([2]);
});
