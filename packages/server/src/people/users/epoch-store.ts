// Raises a user's epoch, which revokes every token that was issued to the user before. No other file raises it, so every change
// that revokes a user's tokens calls this one.

import { AppError } from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import { sql, type UpdateObject } from 'kysely';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import type { Tables } from '../../cluster/store/tables.ts';

/** Applies the change to the user, if any, and revokes every token that was issued to the user before. */
export async function raiseEpoch(
  transaction: StoreTransaction,
  userId: number,
  changed: UpdateObject<Tables, 'users'> = {},
): Promise<Change[]> {
  const raised = await transaction
    .updateTable('users')
    .set({ ...changed, epoch: sql<number>`epoch + 1`, epoch_raised_at: sql<Date>`now()` })
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .returning('epoch')
    .executeTakeFirst();
  if (raised === undefined) throw new AppError('record_not_found');
  return [{ kind: 'epoch_raised', userId, epoch: raised.epoch }];
}

/** Locks the user until the transaction ends. Null if the user does not exist. */
export async function lockEpoch(transaction: StoreTransaction, userId: number) {
  const user = await transaction
    .selectFrom('users')
    .select('epoch')
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return user ?? null;
}
