import { expect, test } from 'vitest';
import { isTooMuch, planRole, sortByRole } from '../../../src/pages/matrix/plan-import.ts';
import { role } from './matrix-samples.ts';

const rule = (path: string) => ({ method: 'GET', path });
const [sales, admin] = [role('sales', ''), role('admin', '')];

test('a role that does not exist is refused, and admin gets no rules', () => {
  const rules = ['sales', 'nobody', 'admin'].map((roleKey) => ({ roleKey, ...rule('/orders') }));
  expect(sortByRole(rules, [admin, sales])).toEqual({
    refused: ['nobody', 'admin'],
    ofRoles: [{ role: sales, rules: [rule('/orders')] }],
  });
});

test('adds no rule that the role has already, and removes rules only where the file replaces', () => {
  const stored = [rule('/orders'), rule('/old')];
  const wanted = [rule('/orders'), rule('/new'), rule('/new')];
  expect(planRole(sales, stored, wanted, false)).toEqual({ role: sales, add: [rule('/new')], remove: [] });
  expect(planRole(sales, stored, wanted, true)).toEqual({
    role: sales,
    add: [rule('/new')],
    remove: [rule('/old')],
  });
});

test('more than one change may hold is too much', () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => rule(`/orders/${n}`));
  expect(isTooMuch(planRole(sales, [], many(1000), false))).toBe(false);
  expect(isTooMuch(planRole(sales, many(1), many(1001).slice(1), true))).toBe(true);
});
