// The administrative changes of a user, one by one (enable, disable, delete, role, mail address, password, name and department):
// what each one records in the audit log, and whether it is already applied.
import { isDeepStrictEqual } from 'node:util';
import type { Call, changeUserEndpoint, setUserRoleEndpoint } from '@portcullis/contract';
import { checkName } from '../check-name.ts';
import {
  type ChangedUser,
  changeUser,
  deleteUser,
  disableUser,
  enableUser,
  resetPassword,
  setUserMail,
  setUserRole,
} from './user-access-store.ts';
import type { UserChange } from './user-changes.ts';

export const enableChange: UserChange = {
  way: 'give',
  ofOthers: false,
  action: 'user.enable',
  before: () => ({ enabled: false }),
  after: () => ({ enabled: true }),
  isDone: ({ enabled }) => enabled,
  apply: enableUser,
};

export const disableChange: UserChange = {
  way: 'takeAway',
  ofOthers: true,
  action: 'user.disable',
  before: () => ({ enabled: true }),
  after: () => ({ enabled: false }),
  isDone: ({ enabled }) => !enabled,
  apply: disableUser,
};

export const deleteChange: UserChange = {
  way: 'takeAway',
  ofOthers: true,
  action: 'user.delete',
  before: ({ id: _id, revision: _revision, mail: _mail, kind, ...user }) =>
    kind === 'person' ? user : { ...user, kind },
  after: () => null,
  isDone: () => false,
  isDoneByDeletion: true,
  apply: deleteUser,
};

export function roleChange({ roleId, ifRevision }: Call<typeof setUserRoleEndpoint>['body']): UserChange {
  return {
    ifRevision,
    way: 'takeAway',
    ofOthers: true,
    action: 'user.role',
    before: (user) => ({ roleId: user.roleId }),
    after: () => ({ roleId }),
    isDone: (user) => user.roleId === roleId,
    becomes: ({ departmentId }) => ({ roleId, departmentId }),
    apply: (transaction, user) => setUserRole(transaction, user, roleId),
  };
}

/** Only for other users: with a stolen token, its thief could otherwise set the address, and then have a password link mailed. */
export function mailChange(mail: string | null): UserChange {
  return {
    way: 'give',
    ofOthers: true,
    action: 'user.mail',
    before: (user) => ({ mail: user.mail }),
    after: () => ({ mail }),
    isDone: (user) => user.mail === mail,
    apply: (transaction, user) => setUserMail(transaction, user, mail),
  };
}

/** Only for other users: changing one's own password requires the old password, not only a token. */
export function passwordChange(passwordHash: string): UserChange {
  return {
    kind: 'person',
    way: 'takeAway',
    ofOthers: true,
    action: 'user.password',
    before: () => null,
    after: () => ({ passwordChangeRequired: true }),
    isDone: () => false,
    apply: (transaction, user) => resetPassword(transaction, user, passwordHash),
  };
}

/** Fields that the body omits stay unchanged. */
export function fieldChange({ ifRevision, ...named }: Call<typeof changeUserEndpoint>['body']): UserChange {
  const fieldsOf = ({ name, departmentId }: ChangedUser) => ({ name, departmentId, ...named });
  return {
    ifRevision,
    way: 'give',
    ofOthers: false,
    action: 'user.update',
    before: ({ name, departmentId }) => ({ name, departmentId }),
    after: fieldsOf,
    isDone: (user) => isDeepStrictEqual(fieldsOf(user), { name: user.name, departmentId: user.departmentId }),
    becomes: (user) => ({ roleId: user.roleId, departmentId: fieldsOf(user).departmentId }),
    apply(transaction, user) {
      const fields = fieldsOf(user);
      checkName(fields.name, user.name);
      return changeUser(transaction, user, fields);
    },
  };
}
