// SQL of what an administrator changes about a user's access. Each function runs in the transaction that numbers
// its changes, and returns none where all was so already.
import { AppError } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Change } from '../cluster/change.ts';
import type { StoreTransaction } from '../store/store.ts';
import { raiseEpoch } from './epoch-store.ts';

export async function disableUser(transaction: StoreTransaction, userId: number): Promise<Change[]> {
  const { enabled } = await lockUser(transaction, userId);
  return enabled ? await raiseEpoch(transaction, userId, { enabled: false }) : [];
}

/** Changes nothing in memory: the tokens of before stay void, and a login reads the row. */
export async function enableUser(transaction: StoreTransaction, userId: number): Promise<Change[]> {
  const { enabled } = await lockUser(transaction, userId);
  if (!enabled)
    await transaction.updateTable('users').set({ enabled: true }).where('id', '=', userId).execute();
  return [];
}

export async function getUsername(transaction: StoreTransaction, userId: number): Promise<string> {
  return (await lockUser(transaction, userId)).username;
}

export async function setPasswordHash(
  transaction: StoreTransaction,
  userId: number,
  passwordHash: string,
): Promise<Change[]> {
  return await raiseEpoch(transaction, userId, { password_hash: passwordHash });
}

export async function setUserRole(
  transaction: StoreTransaction,
  userId: number,
  roleId: number,
): Promise<Change[]> {
  const user = await lockUser(transaction, userId);
  if (user.role_id === roleId) return [];
  const role = await transaction
    .selectFrom('roles')
    .select('id')
    .where('id', '=', roleId)
    .forKeyShare()
    .executeTakeFirst();
  if (role === undefined) throw new AppError('record_not_found');
  return await raiseEpoch(transaction, userId, { role_id: roleId });
}

/**
 * The row stays, because its epoch must outlive the user's tokens. A second call, after a first that could not be
 * answered, changes nothing and waits as that one did.
 */
export async function deleteUser(transaction: StoreTransaction, userId: number): Promise<Change[]> {
  const deleted = await transaction
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst();
  if (deleted !== undefined) return [];
  return await raiseEpoch(transaction, userId, { enabled: false, deleted_at: sql<Date>`now()` });
}

async function lockUser(transaction: StoreTransaction, userId: number) {
  const user = await transaction
    .selectFrom('users')
    .select(['username', 'enabled', 'role_id'])
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (user === undefined) throw new AppError('record_not_found');
  return user;
}
