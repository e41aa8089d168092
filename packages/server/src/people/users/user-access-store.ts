// SQL of administrative changes of a user: create, disable, enable, delete, and set the password, role, name, department and mail
// address. Each function runs in the transaction that numbers its changes, on a row that the transaction has locked, and changes
// nothing if the change is already applied.
import { AppError, type User, type UserKind } from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import { sql } from 'kysely';
import type { ScopeChange } from '../../cluster/scope-change.ts';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import { raiseEpoch } from './epoch-store.ts';
import { requireOtherAdministrator } from './last-admin-store.ts';

/** The fields of a user on which a change depends. */
export type ChangedUser = Pick<
  User,
  'id' | 'kind' | 'username' | 'name' | 'departmentId' | 'roleId' | 'enabled' | 'revision' | 'mail'
>;

/** A deleted user is reported as not found. */
export async function lockUser(transaction: StoreTransaction, id: number): Promise<ChangedUser> {
  const user = await transaction
    .selectFrom('users')
    .select(['id', 'username', 'nick_name as name', 'department_id as departmentId', 'role_id as roleId'])
    .select(['enabled', 'kind', 'revision', 'mail'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (user === undefined) throw new AppError('record_not_found');
  return user;
}

export async function disableUser(transaction: StoreTransaction, user: ChangedUser): Promise<Change[]> {
  if (!user.enabled) return [];
  await requireAdministratorBeside(transaction, user);
  return await raiseEpoch(transaction, user.id, { enabled: false });
}

/** Changes no access in memory: earlier tokens stay revoked, and a login reads the row. */
export async function enableUser(transaction: StoreTransaction, { id }: ChangedUser): Promise<Change[]> {
  await transaction.updateTable('users').set({ enabled: true }).where('id', '=', id).execute();
  return [];
}

/** Another person knows the new password, so the user must change it. */
export async function resetPassword(
  transaction: StoreTransaction,
  { id }: ChangedUser,
  passwordHash: string,
): Promise<Change[]> {
  return await raiseEpoch(transaction, id, { password_hash: passwordHash, password_due: true });
}

export async function setUserRole(
  transaction: StoreTransaction,
  user: ChangedUser,
  roleId: number,
): Promise<Change[]> {
  if (user.roleId === roleId) return [];
  await keepRole(transaction, roleId);
  await requireAdministratorBeside(transaction, user);
  return await raiseEpoch(transaction, user.id, { role_id: roleId });
}

/** Keeps the row, because its epoch must outlive the user's tokens. */
export async function deleteUser(transaction: StoreTransaction, user: ChangedUser): Promise<Change[]> {
  await requireAdministratorBeside(transaction, user);
  // Mails that were requested with the address alone: after the update nothing links them to the user. A trigger deletes the
  // other mails of the user.
  await sql`delete from mails
    where user_id is null and lower(address) = (select lower(mail) from users where id = ${user.id})`.execute(
    transaction,
  );
  return await raiseEpoch(transaction, user.id, { enabled: false, deleted_at: sql<Date>`now()` });
}

/** Changes no access in memory: data scopes are read from the rows each time. */
export async function changeUser(
  transaction: StoreTransaction,
  { id, roleId, departmentId: before }: ChangedUser,
  { name, departmentId }: { readonly name: string; readonly departmentId: number },
): Promise<ScopeChange[]> {
  await keepDepartment(transaction, departmentId);
  if (departmentId !== before) await keepRole(transaction, roleId);
  await transaction
    .updateTable('users')
    .set({ nick_name: name, department_id: departmentId })
    .where('id', '=', id)
    .execute();
  return departmentId === before ? [] : [{ kind: 'user_moved', userId: id }];
}

export interface NewUser {
  readonly username: string;
  readonly canonicalUsername: string;
  readonly name: string;
  readonly departmentId: number;
  readonly roleId: number;
  readonly kind?: UserKind | undefined;
  /** `noPassword` for a user without a password. */
  readonly passwordHash: string;
  /** By default a person must change the password, because another person assigned it. */
  readonly passwordDue?: false;
  readonly mail?: string | undefined;
}

export async function insertUser(transaction: StoreTransaction, user: NewUser): Promise<number> {
  await keepDepartment(transaction, user.departmentId);
  await keepRole(transaction, user.roleId);
  const inserted = await transaction
    .insertInto('users')
    .values({
      username: user.username,
      canonical_username: user.canonicalUsername,
      nick_name: user.name,
      department_id: user.departmentId,
      role_id: user.roleId,
      kind: user.kind ?? 'person',
      password_hash: user.passwordHash,
      password_due: user.passwordDue ?? user.kind !== 'service',
      mail: user.mail ?? null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted === undefined) throw new AppError('conflict');
  return inserted.id;
}

/**
 * Throws if the epoch has changed since the old password was verified: the change must not undo a reset. If a provider decides
 * about the account, only an administrator can give it a password again.
 */
export async function changeOwnPassword(
  transaction: StoreTransaction,
  { userId, epoch }: { readonly userId: number; readonly epoch: number },
  passwordHash: string,
): Promise<Change[]> {
  const verified = await transaction
    .selectFrom('users')
    .select('decided_by_provider')
    .where('id', '=', userId)
    .where('epoch', '=', epoch)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (verified === undefined) throw new AppError('conflict');
  if (verified.decided_by_provider) throw new AppError('provider_login_required');
  return await raiseEpoch(transaction, userId, { password_hash: passwordHash, password_due: false });
}

/** A trigger ends the password links that were sent to the previous address. */
export async function setUserMail(
  transaction: StoreTransaction,
  { id }: ChangedUser,
  mail: string | null,
): Promise<Change[]> {
  try {
    await transaction.updateTable('users').set({ mail }).where('id', '=', id).execute();
    return [];
  } catch (cause) {
    if ((cause as { code?: unknown }).code === '23505') throw new AppError('conflict', { cause });
    throw cause;
  }
}

/** The role `admin` has id 1, and no other role has it (a constraint of the table). */
async function requireAdministratorBeside(transaction: StoreTransaction, user: ChangedUser): Promise<void> {
  if (user.enabled && user.roleId === 1) await requireOtherAdministrator(transaction, user.id);
}

/**
 * Throws if the role does not exist; otherwise locks it until the transaction ends. Whether a caller can manage the role depends on
 * the departments of its holders, so no change of the role can run while it gets a new holder.
 */
async function keepRole(transaction: StoreTransaction, id: number): Promise<void> {
  const role = transaction.selectFrom('roles').select('id').where('id', '=', id).forShare();
  if ((await role.executeTakeFirst()) === undefined) throw new AppError('record_not_found');
}

async function keepDepartment(transaction: StoreTransaction, id: number): Promise<void> {
  const department = transaction.selectFrom('departments').select('id').where('id', '=', id).forKeyShare();
  if ((await department.executeTakeFirst()) === undefined) throw new AppError('record_not_found');
}
