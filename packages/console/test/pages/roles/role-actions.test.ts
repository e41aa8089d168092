import { expect, test } from 'vitest';
import { actionsOf } from '../../../src/pages/roles/role-actions.ts';

const role = { id: 3, roleKey: 'sales', enabled: true };
const mayAll = () => true;

test('offers nothing to a role that may do nothing', () => {
  expect(actionsOf({ role, may: () => false })).toEqual([]);
});

test('offers no change of the role admin', () => {
  const admin = { id: 1, roleKey: 'admin', enabled: true };
  expect(actionsOf({ role: admin, may: mayAll })).toEqual(['matrix', 'users']);
});

test('offers no edit where the role cannot be read', () => {
  const may = (method: string, path: string) => `${method} ${path}` !== 'GET /api/v1/roles/3';
  expect(actionsOf({ role, may })).not.toContain('edit');
});

test('offers to enable a disabled role, and to disable an enabled one', () => {
  expect(actionsOf({ role, may: mayAll })).toEqual(['edit', 'matrix', 'users', 'disable', 'delete']);
  expect(actionsOf({ role: { ...role, enabled: false }, may: mayAll })).toContain('enable');
});
