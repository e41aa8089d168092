// SQL of service account keys: credentials of the kind `key`, identified by their thumbprints.
import { createHash } from 'node:crypto';
import { AppError, type PublicKey } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';

export interface StoredKey {
  readonly id: number;
  readonly userId: number;
  readonly publicKey: PublicKey;
}

/** A key in force: not ended. */
export async function findKey(store: Store, kid: string): Promise<StoredKey | undefined> {
  const row = await store
    .selectFrom('credentials')
    .select(['id', 'user_id as userId', 'public_part'])
    .where('kind', '=', 'key')
    .where('subject', '=', kid)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return row && { id: row.id, userId: row.userId, publicKey: row.public_part as PublicKey };
}

/**
 * Consumes the assertion (replay protection). Whether it was unused and the key has not ended: if several callers use it, exactly
 * one gets true.
 */
export async function spendAssertion(
  store: Store,
  keyId: number,
  { id, expiresAt }: { readonly id: string; readonly expiresAt: number },
): Promise<boolean> {
  const idHash = createHash('sha256').update(`${keyId}:${id}`).digest();
  const { numAffectedRows } = await sql`
    with spent as (
      insert into used_assertions (id_hash, expires_at) values (${idHash}, to_timestamp(${expiresAt}))
      on conflict do nothing returning id_hash
    )
    update credentials set used_at = clock_timestamp()
    where id = ${keyId} and ended_at is null and exists (select from spent)`.execute(store);
  return numAffectedRows === 1n;
}

/** One hour after the expiry: a clock that went back must not make an assertion valid again. */
export async function sweepAssertions(store: Store): Promise<void> {
  await store
    .deleteFrom('used_assertions')
    .where('expires_at', '<=', sql<Date>`now() - interval '1 hour'`)
    .execute();
}

export interface KeyRow {
  readonly id: number;
  readonly kid: string;
  readonly publicKey: PublicKey;
  readonly name: string;
  readonly createdAt: Date;
  readonly usedAt: Date | null;
}

export async function listKeys(store: Store, userId: number): Promise<KeyRow[]> {
  const rows = await store
    .selectFrom('credentials')
    .select(['id', 'subject', 'public_part', 'name', 'created_at as createdAt', 'used_at as usedAt'])
    .where('user_id', '=', userId)
    .where('kind', '=', 'key')
    .where('ended_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(({ subject, public_part, ...row }) => ({
    ...row,
    kid: subject ?? '',
    publicKey: public_part as PublicKey,
  }));
}

/** A key of this account, in force or ended. */
export async function findKeyOf(
  store: Store,
  userId: number,
  id: number,
): Promise<{ kid: string; name: string; isEnded: boolean } | undefined> {
  const row = await store
    .selectFrom('credentials')
    .select(['subject', 'name', 'ended_at'])
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('kind', '=', 'key')
    .executeTakeFirst();
  return row && { kid: row.subject ?? '', name: row.name, isEnded: row.ended_at !== null };
}

interface NewKey {
  readonly userId: number;
  readonly kid: string;
  readonly name: string;
  readonly publicKey: PublicKey;
}

const uniqueViolation = '23505';

/** Refuses a key that any account has or had: an ended key stays ended. */
export async function insertKey(
  transaction: StoreTransaction,
  { userId, kid, name, publicKey }: NewKey,
): Promise<number> {
  const known = await transaction
    .selectFrom('credentials')
    .select('id')
    .where('kind', '=', 'key')
    .where('subject', '=', kid)
    .limit(1)
    .executeTakeFirst();
  if (known !== undefined) throw new AppError('conflict');
  try {
    const { id } = await transaction
      .insertInto('credentials')
      .values({
        user_id: userId,
        kind: 'key',
        factor: 3,
        subject: kid,
        name,
        public_part: JSON.stringify(publicKey),
        confirmed_at: sql<Date>`clock_timestamp()`,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  } catch (error) {
    throw (error as { code?: unknown }).code === uniqueViolation ? new AppError('conflict') : error;
  }
}
