// SQL of single-use codes: the recovery codes of a user, and the enrolment code that an administrator issues.
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../../cluster/store/store.ts';

export async function countCodes(store: Store, userId: number): Promise<number> {
  const { n } = await store
    .selectFrom('recovery_codes')
    .select(sql<number>`count(*)::int`.as('n'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return n;
}

export async function replaceCodes(
  transaction: StoreTransaction,
  userId: number,
  hashes: readonly Buffer[],
): Promise<void> {
  await transaction.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  if (hashes.length === 0) return;
  await transaction
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ user_id: userId, hash })))
    .execute();
}

/** Consumes the code. Whether it was unused: if several callers use it, exactly one gets true. */
export async function spendCode(store: Store, userId: number, hash: Buffer): Promise<boolean> {
  const spent = await store
    .updateTable('recovery_codes')
    .set({ used_at: sql<Date>`clock_timestamp()` })
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return spent.numUpdatedRows === 1n;
}

export async function openEnrolment(
  transaction: StoreTransaction,
  userId: number,
  hash: Buffer,
  expiresAt: Date,
): Promise<void> {
  const row = { user_id: userId, hash, expires_at: expiresAt };
  await transaction
    .insertInto('enrolment_codes')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ hash, expires_at: expiresAt }))
    .execute();
}

export async function isEnrolmentOpen(store: Store, userId: number, hash: Buffer): Promise<boolean> {
  const open = await store
    .selectFrom('enrolment_codes')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return open !== undefined;
}

export async function closeEnrolment(transaction: StoreTransaction, userId: number): Promise<void> {
  await transaction.deleteFrom('enrolment_codes').where('user_id', '=', userId).execute();
}

export async function sweepEnrolments(store: Store): Promise<void> {
  await store.deleteFrom('enrolment_codes').where('expires_at', '<=', sql<Date>`now()`).execute();
}
