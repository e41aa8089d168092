// Users, roles and departments: which caller can change which user, and which sessions a change ends.
import type { Weakness } from './weakness.ts';

const src = 'packages/server/src';
const test = 'packages/server/test';
const userScope = `${src}/people/users/user-scope.ts`;
const reach = `${src}/people/roles/can-manage/can-manage.ts`;
const reachCheck = `${src}/people/roles/can-manage/can-manage-check.ts`;
const reachTest = `${test}/people/roles/can-manage/can-manage-check.test.ts`;
const userAccess = `${src}/people/users/user-access-store.ts`;
const userTest = `${test}/people/users/routes.test.ts`;
const userChanges = `${src}/people/users/user-changes.ts`;
const userActions = `${src}/people/users/user-actions.ts`;
const creationTest = `${test}/people/users/user-creation.test.ts`;
const ownRoutes = `${src}/people/own/own-password.ts`;
const ownTest = `${test}/people/own/own-password.test.ts`;
const roleChanges = `${src}/people/roles/role-changes.ts`;
const roleAccess = `${src}/people/roles/role-access-store.ts`;
const roleTest = `${test}/people/roles/routes.test.ts`;
const departmentChanges = `${src}/people/departments/department-changes.ts`;
const departmentTest = `${test}/people/departments/routes.test.ts`;

export const directoryWeaknesses: readonly Weakness[] = [
  {
    name: 'a caller with the data scope of own rows changes every user',
    file: userScope,
    before: 'return scope.userId === user.id;',
    after: 'return scope.userId !== 0;',
    seenBy: [userTest],
  },
  {
    name: 'a caller with chosen departments changes users of other departments',
    file: userScope,
    before: 'return scope.departments.includes(user.departmentId);',
    after: 'return scope.departments.length > 0;',
    seenBy: [userTest],
  },
  {
    name: 'a caller with the data scope of own rows puts users into any department',
    file: userScope,
    before: "scope.kind === 'all' || (",
    after: "scope.kind !== 'departments' || (",
    seenBy: [creationTest],
  },
  {
    name: 'a taken username costs a hash',
    file: `${src}/people/users/user-creation.ts`,
    before: 'if ((await findAccount(store, username)) !== undefined) throw',
    after: "if (username === '') throw",
    seenBy: [creationTest],
  },
  {
    name: 'failed logins under a free username lock the user who gets it',
    file: `${src}/people/users/user-creation.ts`,
    before: 'await forgiveGuesses(username);',
    after: '',
    seenBy: [creationTest],
  },
  {
    name: 'a caller who sees a department sees the departments below it',
    file: reach,
    before: "(each.kind === 'department' || !torn.has(each.departmentId))",
    after: 'torn.size >= 0',
    seenBy: [reachTest],
  },
  {
    name: 'the data scope of a department and below covers everything',
    file: reach,
    before: "each.kind !== 'all' && isBelow(each.departmentId)",
    after: "each.kind === 'all' || isBelow(each.departmentId)",
    seenBy: [reachTest],
  },
  {
    name: 'the data scope of own rows covers everything',
    file: reach,
    before: 'return rows.length === 0;',
    after: 'return rows.length >= 0;',
    seenBy: [reachTest],
  },
  {
    name: 'department and below is only the department for the holders of a role',
    file: reach,
    before: "const kind = scope.dataScope === '4' ? 'below' : 'department';",
    after: "const kind = 'department';",
    seenBy: [roleTest],
  },
  {
    name: 'a change of a role is checked against its new rights alone',
    file: reachCheck,
    before: 'scope === undefined ? [role] : [role, scope]',
    after: 'scope === undefined ? [role] : [scope]',
    seenBy: [reachTest],
  },
  {
    name: 'a change of a role is checked against its old rights alone',
    file: reachCheck,
    before: 'scope === undefined ? [role] : [role, scope]',
    after: 'scope === undefined ? [role] : [role]',
    seenBy: [reachTest],
  },
  {
    name: 'a role with more rights than the caller is changed',
    file: reachCheck,
    before: 'if (id !== caller.roleId && !(await calls.mayDoAll(',
    after: 'if (id === 0 && !(await calls.mayDoAll(',
    seenBy: [reachTest],
  },
  {
    name: 'a caller other than admin changes admin',
    file: reachCheck,
    before: 'if (id === adminRoleId) refuse();',
    after: '',
    seenBy: [reachTest],
  },
  {
    name: 'a caller other than admin logs every user out',
    file: reachCheck,
    before: 'ofEverybody(caller) {\n      if (!isAdmin(caller)) refuse();',
    after: "ofEverybody(caller) {\n      if (!isAdmin(caller) && caller.dataScope !== '1') refuse();",
    seenBy: ['packages/server/test/sign-in/sessions/routes.test.ts'],
  },
  {
    name: 'a role is widened while it is given',
    file: `${src}/people/roles/can-manage/can-manage-store.ts`,
    before: 'order by id for share',
    after: 'order by id',
    seenBy: [reachTest],
  },
  {
    name: 'departments are moved while a change is checked against their position',
    file: reachCheck,
    before: 'await store.holdTree(transaction);',
    after: '',
    seenBy: [reachTest],
  },
  {
    name: 'the holders of a role are read one by one',
    file: 'packages/server/src/cluster/store/migrations/0018-callers.sql',
    before: 'on users (role_id, department_id, id)',
    after: 'on users (role_id, id)',
    seenBy: [reachTest],
  },
  {
    name: 'a disabled user keeps the tokens',
    file: userAccess,
    before: 'return await raiseEpoch(transaction, user.id, { enabled: false });',
    after:
      "await transaction.updateTable('users').set({ enabled: false }).where('id', '=', user.id).execute();\n  return [];",
    seenBy: ['test/attack/directories/oauth-conduct.test.ts', userTest],
    threat: 'T279',
    attacks: ['is out when the user is disabled or the link ended here'],
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
    name: 'a new user need not change the password that the administrator chose',
    file: userAccess,
    before: "password_due: user.passwordDue ?? user.kind !== 'service',",
    after: 'password_due: false,',
    seenBy: [creationTest],
  },
  {
    name: 'a reset password can be kept',
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
    name: 'a clerk changes a user with more rights',
    file: userChanges,
    before: 'await canManage.ofUser(transaction, call.caller, id, becomes ? [user, becomes(user)] : [user]);',
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
    before: 'const changes = await change.apply(transaction, user);',
    after:
      'const changes = await change.apply(transaction, user);\n        if (changes.length > 0) return changes;',
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
    file: `${src}/people/users/last-admin-store.ts`,
    before: ".where('enabled', '=', true)",
    after: '',
    seenBy: [`${test}/people/users/last-admin.test.ts`],
  },
  {
    name: 'two administrators disable each other at once',
    file: `${src}/people/users/last-admin-store.ts`,
    before: '.forNoKeyUpdate()',
    after: '',
    seenBy: [`${test}/people/users/last-admin.test.ts`],
  },
  {
    name: 'a user changes the password to a bad one',
    file: ownRoutes,
    before: 'rules.check(body.newPassword, found.user, body.oldPassword);',
    after: '',
    seenBy: [ownTest],
  },
  {
    name: 'a user changes the password to the same one',
    file: ownRoutes,
    before: 'found.user, body.oldPassword)',
    after: 'found.user)',
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
    name: 'a role beyond the rights of the caller is changed',
    file: roleChanges,
    before: 'await canManage.ofRole(transaction, call.caller, id, scope && { scope });',
    after: '',
    seenBy: [roleTest],
  },
  {
    name: 'the new data scope of a role is not checked',
    file: roleChanges,
    before: 'call.caller, id, scope && { scope });',
    after: 'call.caller, id);',
    seenBy: [roleTest],
  },
  {
    name: 'a new role gets a data scope beyond that of the caller',
    file: roleChanges,
    before: 'await canManage.ofNewRole(transaction, call.caller, scope);',
    after: '',
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
    name: 'a department is moved out of the data scope of the caller',
    file: departmentChanges,
    before: "else if (caller.dataScope !== '1') throw",
    after: "else if (caller.dataScope === '5') throw",
    seenBy: [departmentTest],
  },
  {
    name: 'a move of a department shows more rows to a user than the caller can manage',
    file: departmentChanges,
    before: 'await canManage.ofMove(transaction, call.caller, move);',
    after: '',
    seenBy: [departmentTest],
  },
  {
    name: 'a department is deleted that is in the data scope of a role beyond the caller',
    file: departmentChanges,
    before: 'await canManage.ofDeletion(transaction, call.caller, id);',
    after: '',
    seenBy: [departmentTest],
  },
  {
    name: 'a caller with chosen departments creates one outside of them',
    file: departmentChanges,
    before: "if (!['1', '4'].includes(call.caller.dataScope)) throw",
    after: "if (!['1', '2', '3', '4'].includes(call.caller.dataScope)) throw",
    seenBy: [departmentTest],
  },
  {
    name: 'a role key that looks like admin with a number is accepted',
    file: `${src}/people/roles/admin-look-alike.ts`,
    before: "roleKey.replace(/[0-9_-]+$/, '')",
    after: 'roleKey',
    seenBy: [`${test}/people/roles/admin-look-alike.test.ts`],
  },
  {
    name: 'a change is made on any revision',
    file: `${src}/people/check-revision.ts`,
    before: 'if (ifRevision === undefined || ifRevision === now.revision) return;',
    after: 'if (ifRevision === undefined || ifRevision <= now.revision) return;',
    seenBy: [roleTest],
  },
  {
    name: 'a refusal describes a user to a caller who cannot manage that user',
    file: userChanges,
    before: 'await canManage.ofUser(transaction, call.caller, id, becomes ? [user, becomes(user)] : [user]);',
    after:
      'checkRevision(ifRevision, { revision: user.revision, current: currentOf(user) });\n        await canManage.ofUser(transaction, call.caller, id, becomes ? [user, becomes(user)] : [user]);',
    seenBy: [userTest],
  },
  {
    name: 'a change of the name sets the data scope',
    file: roleChanges,
    before: 'const scope = dataScope === undefined ? undefined : scopeOf({ dataScope, departmentIds });',
    after: "const scope = scopeOf({ dataScope: dataScope ?? '1', departmentIds });",
    seenBy: [roleTest],
  },
  {
    name: 'changes of departments are not counted',
    file: 'packages/server/src/cluster/store/migrations/0015-object-revisions.sql',
    before: 'before update of name, parent_id on departments',
    after: 'before update of created_at on departments',
    seenBy: [departmentTest],
  },
  {
    name: 'a password reset makes an open form of the user conflict',
    file: 'packages/server/src/cluster/store/migrations/0015-object-revisions.sql',
    before:
      'before update of nick_name, department_id, role_id, enabled on users\n  for each row when ((old.nick_name, old.department_id, old.role_id, old.enabled)\n    is distinct from (new.nick_name, new.department_id, new.role_id, new.enabled))',
    after: 'before update on users\n  for each row',
    seenBy: [userTest],
  },
  {
    name: 'a username borrows letters of another script',
    file: `${src}/people/users/user-creation.ts`,
    before: "if (!isOneScript(username)) throw new AppError('name_unclear');",
    after: '',
    seenBy: [creationTest],
  },
  {
    name: 'a role is named like admin',
    file: roleChanges,
    before: "if (readsLikeAdmin(name)) throw new AppError('name_unclear');",
    after: '',
    seenBy: [roleTest],
  },
  {
    name: 'a user whose provider decides about sign-in opens a local login by a new password',
    file: 'packages/server/src/people/users/user-access-store.ts',
    before: "if (verified.decided_by_provider) throw new AppError('provider_login_required');",
    after: '',
    seenBy: ['packages/server/test/people/own/own-password.test.ts'],
  },
];
