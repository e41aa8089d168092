import { describe, expect, test } from 'vitest';
import { cellState, isEditable, reachOf } from '../../../src/pages/matrix/cell-state.ts';
import { role, route } from './matrix-samples.ts';

const orders = route('GET', '/orders');

describe('cellState', () => {
  test.each([
    ['r', undefined, 'rule'],
    ['a', undefined, 'wider'],
    ['s', undefined, 'part'],
    ['-', undefined, 'none'],
    ['', undefined, 'none'],
    ['?', undefined, 'none'],
    ['-', 'add', 'added'],
    ['a', 'add', 'added'],
    ['s', 'add', 'added'],
    ['r', 'remove', 'removed'],
    ['r', 'add', 'rule'],
    ['-', 'remove', 'none'],
  ] as const)('of %j with the mark %j is %s', (cell, mark, state) => {
    expect(cellState(role('sales', cell), orders, 0, mark)).toBe(state);
  });

  test('is open where the route needs no rule, whatever the role has', () => {
    for (const rest of [{ access: 'public' }, { access: 'identity' }, { excluded: true }] as const)
      expect(cellState(role('sales', '-'), route('GET', '/orders', rest), 0, undefined)).toBe('open');
  });

  test('is all for admin', () => {
    expect(cellState(role('admin', '-'), orders, 0, undefined)).toBe('all');
  });
});

test('neither the column of admin nor a route that needs no rule can be edited', () => {
  expect(isEditable(role('admin', 'a'), orders)).toBe(false);
  expect(isEditable(role('sales', '-'), route('GET', '/orders', { access: 'public' }))).toBe(false);
  expect(isEditable(role('sales', '-'), route('GET', '/orders', { excluded: true }))).toBe(false);
  expect(isEditable(role('sales', '-'), orders)).toBe(true);
});

test('an own rule and a wider one reach equally far', () => {
  expect(reachOf('rule')).toBe(reachOf('wider'));
  expect([reachOf('none'), reachOf('part'), reachOf('open')]).toEqual([0, 1, 2]);
});
