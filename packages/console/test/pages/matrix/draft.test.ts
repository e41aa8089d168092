import { describe, expect, test } from 'vitest';
import {
  countChanges,
  type Draft,
  draftRules,
  keepSensible,
  listChanges,
  listWiderRemovals,
  showLost,
  toggleDraft,
  withoutRole,
} from '../../../src/pages/matrix/draft.ts';
import { matrix, role, route } from './matrix-samples.ts';

const [orders, items] = ['GET /orders', 'DELETE /items/:id'];
const none: Draft = new Map();
const routes = [route('GET', '/orders'), route('DELETE', '/items/:id')];

describe('toggleDraft', () => {
  test('adds a rule that is not there, and removes one that is', () => {
    const draft = toggleDraft(toggleDraft(none, 1, orders, false), 1, items, true);
    expect([...(draft.get(1) ?? [])]).toEqual([
      [orders, 'add'],
      [items, 'remove'],
    ]);
  });

  test('takes itself back, and leaves no role without changes', () => {
    const once = toggleDraft(none, 1, orders, false);
    expect(toggleDraft(once, 1, orders, false).size).toBe(0);
    expect(countChanges(once)).toBe(1);
  });
});

test('listChanges splits the draft by role, in the order of the roles', () => {
  const [sales, support] = [role('sales', '--'), role('support', 'r-')];
  let draft = toggleDraft(none, support.id, orders, true);
  draft = toggleDraft(draft, support.id, items, false);
  draft = toggleDraft(draft, sales.id, items, false);
  expect(listChanges(draft, [sales, support])).toEqual([
    { role: sales, add: [{ method: 'DELETE', path: '/items/:id' }], remove: [] },
    {
      role: support,
      add: [{ method: 'DELETE', path: '/items/:id' }],
      remove: [{ method: 'GET', path: '/orders' }],
    },
  ]);
  expect(countChanges(draft)).toBe(3);
  expect(countChanges(withoutRole(draft, support.id))).toBe(1);
});

describe('keepSensible', () => {
  test('drops a change that another administrator has already made', () => {
    const before = toggleDraft(toggleDraft(none, 5, orders, false), 5, items, true);
    const kept = keepSensible(before, matrix(routes, [role('sales', 'r-')]));
    expect(countChanges(kept)).toBe(0);
  });

  test('keeps what still changes something', () => {
    const before = toggleDraft(toggleDraft(none, 5, orders, false), 5, items, true);
    expect(keepSensible(before, matrix(routes, [role('sales', 'ar')]))).toEqual(before);
  });

  test('keeps a change of a role that is not loaded yet', () => {
    const before = toggleDraft(toggleDraft(none, 9, orders, false), 5, orders, false);
    const part = { ...matrix(routes, [role('sales', 'r-')]), isPart: true };
    expect([...keepSensible(before, part).keys()]).toEqual([9]);
  });

  test('drops a change of a role or a route that no longer exists', () => {
    const before = toggleDraft(toggleDraft(none, 9, orders, false), 5, 'GET /gone', false);
    expect(keepSensible(before, matrix(routes, [role('sales', '--')])).size).toBe(0);
  });
});

describe('a wider rule', () => {
  const [wide, narrow] = [
    { method: '*', path: '/orders/*' },
    { method: 'GET', path: '/orders' },
  ];

  test('goes into the draft with what replaces it, over what was drafted before', () => {
    const before = toggleDraft(none, 1, orders, true);
    const draft = draftRules(before, 1, { add: [narrow], remove: [wide] });
    expect([...(draft.get(1) ?? [])]).toEqual([
      [orders, 'add'],
      ['* /orders/*', 'remove'],
    ]);
    expect(listWiderRemovals(draft, routes)).toEqual([{ roleId: 1, rules: [wide] }]);
  });

  test('stays in the draft after a reload of the matrix, which does not contain it', () => {
    const draft = draftRules(none, 1, { add: [], remove: [wide] });
    const known = matrix(routes, [role('a', 'a-')]);
    expect(keepSensible(draft, known)).toEqual(draft);
    expect(keepSensible(draftRules(none, 1, { add: [wide], remove: [] }), known)).toEqual(none);
  });

  test('shows what is lost with it, and not what the draft keeps', () => {
    const draft = draftRules(none, 1, { add: [narrow], remove: [wide] });
    expect(showLost(draft, 1, [orders, items]).get(1)).toEqual(
      new Map([
        [items, 'remove'],
        [orders, 'add'],
        ['* /orders/*', 'remove'],
      ]),
    );
    expect(showLost(none, 1, [])).toEqual(none);
  });
});
