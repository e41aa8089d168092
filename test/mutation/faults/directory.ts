// Users, roles and departments: who may change whom, and what a change ends.
import type { Fault } from '../fault.ts';

const src = 'packages/server/src/directory';
const test = 'packages/server/test/directory';
const userScope = `${src}/users/user-scope.ts`;
const mayGive = `${src}/roles/may-give.ts`;
const giveTest = `${test}/roles/may-give.test.ts`;
const userAccess = `${src}/users/user-access-store.ts`;
const userTest = `${test}/users/routes.test.ts`;
const userChanges = `${src}/users/user-changes.ts`;
const userActions = `${src}/users/user-actions.ts`;
const creationTest = `${test}/users/user-creation.test.ts`;
const ownRoutes = `${src}/own/own-password.ts`;
const ownTest = `${test}/own/own-password.test.ts`;
const roleChanges = `${src}/roles/role-changes.ts`;
const roleAccess = `${src}/roles/role-access-store.ts`;
const roleTest = `${test}/roles/routes.test.ts`;
const departmentChanges = `${src}/departments/department-changes.ts`;
const departmentTest = `${test}/departments/routes.test.ts`;

export const directoryFaults: readonly Fault[] = [
  {
    name: 'whoever has own rows changes every user',
    file: userScope,
    before: 'return scope.userId === user.id;',
    after: 'return scope.userId !== 0;',
    seenBy: [userTest],
  },
  {
    name: 'whoever has departments changes users of others',
    file: userScope,
    before: 'return scope.departments.includes(user.departmentId);',
    after: 'return scope.departments.length > 0;',
    seenBy: [userTest],
  },
  {
    name: 'whoever has own rows puts users into any department',
    file: userScope,
    before: "scope.kind === 'all' || (",
    after: "scope.kind !== 'departments' || (",
    seenBy: [creationTest],
  },
  {
    name: 'chosen departments are given that the giver does not have',
    file: mayGive,
    before: 'return scope.departmentIds.every((id) => own.has(id));',
    after: 'return own.size > 0;',
    seenBy: [giveTest],
  },
  {
    name: 'the own department gives what is below it',
    file: mayGive,
    before: "'3': ['3', '5'],",
    after: "'3': ['3', '4', '5'],",
    seenBy: [giveTest],
  },
  {
    name: 'a role is given that may do more than the giver',
    file: mayGive,
    before: 'return mayDoAll(giver.roleKey, role.roleKey) && (',
    after: 'return (',
    seenBy: [giveTest],
  },
  {
    name: 'admin is given by others',
    file: mayGive,
    before: "if (role === undefined || role.roleKey === 'admin') return false;",
    after: 'if (role === undefined) return false;',
    seenBy: [giveTest],
  },
  {
    name: 'a disabled user keeps the tokens',
    file: userAccess,
    before: 'return await raiseEpoch(transaction, user.id, { enabled: false });',
    after:
      "await transaction.updateTable('users').set({ enabled: false }).where('id', '=', user.id).execute();\n  return [];",
    seenBy: [userTest],
  },
  {
    name: 'the own password is changed and ends no session',
    file: userAccess,
    before:
      'return await raiseEpoch(transaction, userId, { password_hash: passwordHash, password_due: false });',
    after:
      "await transaction.updateTable('users').set({ password_hash: passwordHash, password_due: false }).where('id', '=', userId).execute();\n  return [];",
    seenBy: [ownTest],
  },
  {
    name: 'a change of the own password undoes a reset',
    file: userAccess,
    before: ".where('epoch', '=', epoch)",
    after: '',
    seenBy: [ownTest],
  },
  {
    name: 'a new user keeps the password that somebody else chose',
    file: userAccess,
    before: 'password_due: true,',
    after: 'password_due: false,',
    seenBy: [creationTest],
  },
  {
    name: 'a reset password may stay',
    file: userAccess,
    before: 'password_due: true });',
    after: 'password_due: false });',
    seenBy: [userTest],
  },
  {
    name: 'a user of a role that changed meanwhile is changed',
    file: userChanges,
    before: 'if (user.roleId !== seen.roleId || user.departmentId',
    after: 'if (user.departmentId',
    seenBy: [userTest],
  },
  {
    name: 'a clerk changes a mightier user',
    file: userChanges,
    before: 'await checkGiven(call.caller, seen.roleId);',
    after: '',
    seenBy: [userTest],
  },
  {
    name: 'administrators disable themselves',
    file: userChanges,
    before: 'if (ofOthers && id === call.caller.userId) throw',
    after: 'if (ofOthers && id === -1) throw',
    seenBy: [userTest],
  },
  {
    name: 'a change of a user is not recorded',
    file: userChanges,
    before: 'const changes = await apply(transaction, user);',
    after: 'const changes = await apply(transaction, user);\n        if (changes.length > 0) return changes;',
    seenBy: [userTest],
  },
  {
    name: 'a change of a role of a user does not wait for the instances',
    file: userActions,
    before: "action: 'user.role',",
    after: "action: 'user.role',\n    ...{ way: 'give' as const },",
    seenBy: [userTest],
  },
  {
    name: 'disabling a user does not wait for the instances',
    file: userActions,
    before: "action: 'user.disable',",
    after: "action: 'user.disable',\n  ...{ way: 'give' as const },",
    seenBy: [userTest],
  },
  {
    name: 'a disabled administrator counts as another one',
    file: `${src}/users/last-admin-store.ts`,
    before: ".where('enabled', '=', true)",
    after: '',
    seenBy: [`${test}/users/last-admin.test.ts`],
  },
  {
    name: 'two administrators take each other away at once',
    file: `${src}/users/last-admin-store.ts`,
    before: '.forNoKeyUpdate()',
    after: '',
    seenBy: [`${test}/users/last-admin.test.ts`],
  },
  {
    name: 'a new own password may be a bad one',
    file: ownRoutes,
    before: 'rules.check(body.newPassword, found.user);',
    after: '',
    seenBy: [ownTest],
  },
  {
    name: 'the old password may be the new one',
    file: ownRoutes,
    before: "body.newPassword.normalize('NFC') === body.oldPassword.normalize('NFC')",
    after: "body.newPassword === ''",
    seenBy: [ownTest],
  },
  {
    name: 'admin is changed like any role',
    file: roleChanges,
    before: "if (before.roleKey === 'admin') throw",
    after: "if (before.roleKey === '') throw",
    seenBy: [roleTest],
  },
  {
    name: 'a role that sees more than the caller is changed',
    file: roleChanges,
    before: 'await checkScope(transaction, call.caller, before);',
    after: '',
    seenBy: [roleTest],
  },
  {
    name: 'a data scope beyond the own one is given to a role',
    file: roleChanges,
    before: 'await checkScope(transaction, caller, scope);',
    after: '',
    seenBy: [roleTest],
  },
  {
    name: 'a role that may do more than the caller is enabled',
    file: roleChanges,
    before: 'if (!isAdmin && !mayDoAll(',
    after: 'if (!isAdmin && mayDoAll === undefined && !mayDoAll(',
    seenBy: [roleTest],
  },
  {
    name: 'a new role reads like admin',
    file: roleChanges,
    before: 'if (isAdminLookAlike(roleKey)) throw',
    after: "if (isAdminLookAlike(roleKey) && roleKey === '') throw",
    seenBy: [roleTest],
  },
  {
    name: 'a disabled role stays in the memory of the instances',
    file: roleAccess,
    before: "return [{ kind: 'role_disabled', id }];",
    after: 'return [];',
    seenBy: [roleTest],
  },
  {
    name: 'a narrowed data scope stays in the memory of the instances',
    file: roleAccess,
    before: "return enabled ? [{ kind: 'role_set', id, roleKey, dataScope }] : [];",
    after: 'return [];',
    seenBy: [roleTest],
  },
  {
    name: 'the rules of a deleted role stay in the memory of the instances',
    file: roleAccess,
    before: "...rules.map((rule): Change => ({ kind: 'rule_removed', roleKey, ...rule })),",
    after: '',
    seenBy: [roleTest],
  },
  {
    name: 'departments form a circle',
    file: departmentChanges,
    before: '(await isInside(transaction, parentId, id))) throw',
    after: '(await isInside(transaction, parentId, id)) && id < 0) throw',
    seenBy: [departmentTest],
  },
  {
    name: 'a department leaves the data scope of who moves it',
    file: departmentChanges,
    before: "else if (caller.dataScope !== '1') throw",
    after: "else if (caller.dataScope === '5') throw",
    seenBy: [departmentTest],
  },
  {
    name: 'whoever has single departments creates one outside of them',
    file: departmentChanges,
    before: "if (!['1', '4'].includes(call.caller.dataScope)) throw",
    after: "if (!['1', '2', '3', '4'].includes(call.caller.dataScope)) throw",
    seenBy: [departmentTest],
  },
  {
    name: 'role keys that read like admin differ by a number',
    file: `${src}/roles/admin-look-alike.ts`,
    before: "roleKey.replace(/[0-9_-]+$/, '')",
    after: 'roleKey',
    seenBy: [`${test}/roles/admin-look-alike.test.ts`],
  },
];
