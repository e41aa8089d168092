// SQL of the subject of an explanation: a role, or a user with the role.
import type { Store } from '../../cluster/store/store.ts';

/** A role, or a user with the role. */
export interface Subject {
  readonly userId: number | null;
  readonly username: string | null;
  readonly roleKey: string;
  readonly userEnabled: boolean | null;
  readonly roleEnabled: boolean;
  readonly passwordChangeRequired: boolean;
}

export async function findRoleSubject(store: Store, roleKey: string): Promise<Subject | undefined> {
  const role = await store
    .selectFrom('roles')
    .select('enabled')
    .where('role_key', '=', roleKey)
    .executeTakeFirst();
  if (role === undefined) return undefined;
  const noUser = { userId: null, username: null, userEnabled: null, passwordChangeRequired: false };
  return { ...noUser, roleKey, roleEnabled: role.enabled };
}

/** Also returns the department, because the data scope depends on it. */
export async function findUserSubject(store: Store, userId: number) {
  const user = await store
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .select(['users.username', 'users.enabled', 'users.password_due', 'users.department_id'])
    .select(['roles.role_key', 'roles.enabled as role_enabled'])
    .where('users.id', '=', userId)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst();
  if (user === undefined) return undefined;
  const subject: Subject = {
    userId,
    username: user.username,
    roleKey: user.role_key,
    userEnabled: user.enabled,
    roleEnabled: user.role_enabled,
    passwordChangeRequired: user.password_due,
  };
  return { subject, departmentId: user.department_id };
}
