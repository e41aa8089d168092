import { expect, test } from 'vitest';
import { readFilter, writeFilter } from '../../../src/pages/matrix/matrix-filter.ts';

test('an address without a query shows everything', () => {
  const filter = readFilter({});
  expect(filter).toEqual({ text: '', service: '', roleKeys: [], onlyDifferences: false });
  expect(writeFilter(filter)).toEqual({});
});

test('one role and several are read alike', () => {
  expect(readFilter({ role: 'sales' }).roleKeys).toEqual(['sales']);
  expect(readFilter({ role: ['sales', null, '', 'support'] }).roleKeys).toEqual(['sales', 'support']);
});

test('reads a written filter back', () => {
  const filter = {
    text: 'get orders',
    service: 'shop',
    roleKeys: ['sales', 'support'],
    onlyDifferences: true,
  };
  expect(readFilter(writeFilter(filter))).toEqual(filter);
});
