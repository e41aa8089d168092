// The changes that an administrator makes to a user, one by one: what each records, and whether it is already applied.
import {
  changeUser,
  deleteUser,
  disableUser,
  enableUser,
  resetPassword,
  setUserRole,
} from './user-access-store.ts';
import type { UserChange } from './user-changes.ts';

export const enabling: UserChange = {
  way: 'give',
  ofOthers: false,
  action: 'user.enable',
  before: () => ({ enabled: false }),
  after: { enabled: true },
  isDone: ({ enabled }) => enabled,
  apply: enableUser,
};

export const disabling: UserChange = {
  way: 'takeAway',
  ofOthers: true,
  action: 'user.disable',
  before: () => ({ enabled: true }),
  after: { enabled: false },
  isDone: ({ enabled }) => !enabled,
  apply: disableUser,
};

export const deletion: UserChange = {
  way: 'takeAway',
  ofOthers: true,
  action: 'user.delete',
  before: ({ id: _id, ...user }) => user,
  after: null,
  isDone: () => false,
  isDoneByDeletion: true,
  apply: deleteUser,
};

export function giving(roleId: number): UserChange {
  return {
    way: 'takeAway',
    ofOthers: true,
    action: 'user.role',
    before: (user) => ({ roleId: user.roleId }),
    after: { roleId },
    isDone: (user) => user.roleId === roleId,
    apply: (transaction, user) => setUserRole(transaction, user, roleId),
  };
}

/** The own one is changed by who knows the old one, and not with a token alone. */
export function resetting(passwordHash: string): UserChange {
  return {
    way: 'takeAway',
    ofOthers: true,
    action: 'user.password',
    before: () => null,
    after: { passwordDue: true },
    isDone: () => false,
    apply: (transaction, user) => resetPassword(transaction, user, passwordHash),
  };
}

export function editing(fields: { readonly name: string; readonly departmentId: number }): UserChange {
  const { name, departmentId } = fields;
  return {
    way: 'give',
    ofOthers: false,
    action: 'user.update',
    before: (user) => ({ name: user.name, departmentId: user.departmentId }),
    after: { name, departmentId },
    isDone: (user) => user.name === name && user.departmentId === departmentId,
    apply: (transaction, user) => changeUser(transaction, user, fields),
  };
}
