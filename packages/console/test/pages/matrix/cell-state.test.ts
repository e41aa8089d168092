import { describe, expect, test } from 'vitest';
import { cellState, isEditable, isLasting, reachOf } from '../../../src/pages/matrix/cell-state.ts';
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

test('marks a cell that only a temporary rule allows as timed, never as permanent', () => {
  const endsAt = '2026-11-17T10:00:00.000Z';
  const timed = (cells: string, isWhole: boolean) =>
    cellState(role('sales', cells, { timed: new Map([[0, { endsAt, isWhole }]]) }), orders, 0, undefined);
  expect([timed('-', true), timed('s', true), timed('-', false), timed('s', false)]).toEqual([
    'timed',
    'timed',
    'timedPart',
    'part',
  ]);
  expect([timed('r', true), timed('a', true)]).toEqual(['rule', 'wider']);
  expect([isLasting('timed'), isLasting('timedPart'), isLasting('part'), isLasting('removed')]).not.toContain(
    true,
  );
  expect([isLasting('rule'), isLasting('wider'), isLasting('added')]).not.toContain(false);
});

test('neither the column of admin nor a route that needs no rule can be edited', () => {
  expect(isEditable(role('admin', 'a'), orders)).toBe(false);
  expect(isEditable(role('sales', '-'), route('GET', '/orders', { access: 'public' }))).toBe(false);
  expect(isEditable(role('sales', '-'), route('GET', '/orders', { excluded: true }))).toBe(false);
  expect(isEditable(role('sales', '-'), orders)).toBe(true);
});

test('gives the same rank to an own rule and a wider one', () => {
  expect(reachOf('rule')).toBe(reachOf('wider'));
  expect([reachOf('none'), reachOf('part'), reachOf('open')]).toEqual([0, 1, 2]);
});
