import { describe, expect, test } from 'vitest';
import type { Draft } from '../../../src/pages/matrix/draft.ts';
import { groupRoutes, listRows } from '../../../src/pages/matrix/matrix-rows.ts';
import {
  cellsOf,
  checkGroup,
  countLasting,
  findWiderCells,
  listCells,
  setCells,
} from '../../../src/pages/matrix/set-cells.ts';
import { matrix, role, route } from './matrix-samples.ts';

const none: Draft = new Map();
const routes = [
  route('GET', '/orders'),
  route('PUT', '/orders/:id'),
  route('DELETE', '/orders/:id'),
  route('GET', '/orders/open', { access: 'identity' }),
];
const rowsOf = (collapsed: readonly string[] = []) =>
  listRows(groupRoutes(matrix(routes, [])), { text: '', service: '', differing: [] }, new Set(collapsed));
const members = rowsOf().flatMap((row) => (row.kind === 'route' ? [row] : []));
const marks = (draft: Draft, id: number) => Object.fromEntries(draft.get(id) ?? []);
const endsAt = '2026-11-17T10:00:00.000Z';

describe('the cells of a range', () => {
  test('leave out admin, and what needs no rule', () => {
    const cells = listCells(rowsOf(), [role('admin', 'aaaa'), role('sales', '----')]);
    expect(cells.map((cell) => `${cell.role.roleKey} ${cell.row.rule}`)).toEqual([
      'sales GET /orders',
      'sales PUT /orders/:id',
      'sales DELETE /orders/:id',
    ]);
  });

  test('are those of its endpoints where the group is open, and all of the group where it is not', () => {
    const [head] = rowsOf();
    expect(listCells(head === undefined ? [] : [head], [role('sales', '----')])).toEqual([]);
    const closed = rowsOf([head?.key ?? '']);
    expect(closed).toHaveLength(1);
    expect(listCells(closed, [role('sales', '----')])).toHaveLength(3);
  });
});

describe('setCells', () => {
  test('allows each cell that is not allowed yet, and leaves the others unchanged', () => {
    const sales = role('sales', 'r-a-');
    expect(marks(setCells(none, none, cellsOf(members, [sales]), true), sales.id)).toEqual({
      'PUT /orders/:id': 'add',
    });
  });

  test('takes away the own rules, and nothing that a wider rule allows', () => {
    const sales = role('sales', 'r-a-');
    expect(marks(setCells(none, none, cellsOf(members, [sales]), false), sales.id)).toEqual({
      'GET /orders': 'remove',
    });
  });

  test('takes back what the draft said before, in either direction', () => {
    const sales = role('sales', 'r---');
    const cells = cellsOf(members, [sales]);
    const all = setCells(none, none, cells, true);
    const nothing = setCells(all, all, cells, false);
    expect(marks(nothing, sales.id)).toEqual({ 'GET /orders': 'remove' });
    expect(setCells(nothing, nothing, cells, true)).toEqual(all);
  });

  test('makes a temporary rule permanent, and removes no temporary rule', () => {
    const sales = role('sales', '----', { timed: new Map([[0, { endsAt, isWhole: true }]]) });
    const [cell] = cellsOf(members, [sales]);
    const cells = cell === undefined ? [] : [cell];
    expect(marks(setCells(none, none, cells, true), sales.id)).toEqual({ 'GET /orders': 'add' });
    expect(setCells(none, none, cells, false)).toBe(none);
  });

  test('an endpoint that two services have is one rule', () => {
    const twice = [route('GET', '/orders'), route('GET', '/orders', { service: 'archive' })];
    const sales = role('sales', '--');
    const rows = groupRoutes(matrix(twice, [])).flatMap((group) => group.members);
    const draft = setCells(none, none, cellsOf(rows, [sales]), true);
    expect(marks(draft, sales.id)).toEqual({ 'GET /orders': 'add' });
  });

  test('changes every role of the range', () => {
    const roles = [role('sales', '----'), role('support', 'r---')];
    const draft = setCells(none, none, cellsOf(members, roles), true);
    expect(roles.map(({ id }) => draft.get(id)?.size)).toEqual([3, 2]);
  });
});

test('findWiderCells names the roles whose wider rules are concerned, with all that is to go', () => {
  const [sales, support] = [role('sales', 'ra--'), role('support', 'rr--')];
  expect(findWiderCells(cellsOf(members, [sales, support]), none)).toEqual([
    { role: sales, unwanted: [routes[0], routes[1]] },
  ]);
  const removed: Draft = new Map([[sales.id, new Map([['PUT /orders/:id', 'remove' as const]])]]);
  expect(findWiderCells(cellsOf(members, [sales]), removed)).toEqual([]);
});

describe('the box of a group', () => {
  test.each([
    ['----', 'false', 0],
    ['s---', 'mixed', 0],
    ['r---', 'mixed', 1],
    ['raa-', 'true', 3],
  ] as const)('of %s is %s', (cells, checked, allowed) => {
    expect(checkGroup(members, role('sales', cells), none)).toEqual({ checked, allowed, all: 3 });
  });

  test('follows the draft, and is missing for admin', () => {
    const sales = role('sales', '----');
    const draft = setCells(none, none, cellsOf(members, [sales]), true);
    expect(checkGroup(members, sales, draft)?.checked).toBe('true');
    expect(countLasting(cellsOf(members, [sales]), draft)).toBe(3);
    expect(checkGroup(members, role('admin', 'aaaa'), none)).toBeUndefined();
  });
});
