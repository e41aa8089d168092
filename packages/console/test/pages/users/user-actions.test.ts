import { expect, test } from 'vitest';
import { actionsOf, userActions } from '../../../src/pages/users/user-actions.ts';

const user = { id: 5, enabled: true };
const mayAll = () => true;

test('offers nothing to a role that may do nothing', () => {
  expect(actionsOf({ user, ownId: 1, may: () => false })).toEqual([]);
});

test('offers a user no action that takes their own access away, except ending their sessions', () => {
  const actions = actionsOf({ user, ownId: 5, may: mayAll });
  expect(actions).toEqual(['edit', 'endSessions', 'export']);
});

test('offers no change of role where the roles cannot be listed', () => {
  const may = (_: string, path: string) => path !== '/api/v1/roles';
  expect(actionsOf({ user, ownId: 1, may })).not.toContain('role');
});

test('offers to enable a disabled user, and to disable an enabled one', () => {
  const of = (enabled: boolean) => actionsOf({ user: { id: 5, enabled }, ownId: 1, may: mayAll });
  expect(of(true)).toEqual(userActions.filter((action) => action !== 'enable'));
  expect(of(false)).toEqual(userActions.filter((action) => action !== 'disable' && action !== 'invite'));
});

test('asks for the call that each action makes', () => {
  const may = (method: string, path: string) => method === 'PUT' && path === '/api/v1/users/5/password';
  expect(actionsOf({ user, ownId: 1, may })).toEqual(['password']);
});
