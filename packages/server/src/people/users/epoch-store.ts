// The one place where a user's epoch grows: every change that ends the tokens issued before goes through here.

import { AppError } from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import { sql, type UpdateObject } from 'kysely';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import type { Tables } from '../../cluster/store/tables.ts';

/** Changes a user, if at all, and makes every token of the user's void that was issued before. */
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

/** Null for a user that there is not. */
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
