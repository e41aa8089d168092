// SQL of what people log in with beside a password.
import { AppError, type Factor, type FactorKind } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';

/** As the trigger of the table `sessions` has them. */
const roleLock = 1886352748;
const userLock = 1886352749;
/** Long enough to fetch a telephone, and no secret of an app that nobody has stays for good. */
const unconfirmedHours = 24;
/** Of the trigger that stores no credential of a deleted account. */
const ownerDeleted = 'PF003';
/** Stands in the place of a password, and is no factor beside it. */
const link = 'link';

/** Until the transaction ends, no session of the user is stored: one that waited sees what was changed. */
export async function lockFactorsOfUser(transaction: StoreTransaction, userId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${userLock}, hashtext(${userId}::bigint::text))`.execute(
    transaction,
  );
}

export async function lockFactorOfRole(transaction: StoreTransaction, roleKey: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${roleLock}, hashtext(${roleKey}))`.execute(transaction);
}

export interface StoredFactor {
  readonly id: number;
  readonly kind: FactorKind;
  readonly factor: Factor;
  readonly name: string;
  readonly createdAt: Date;
  readonly usedAt: Date | null;
}

/** Those that count: confirmed, and not ended. The keys of a service account are none. */
export async function listFactors(store: Store, userId: number): Promise<StoredFactor[]> {
  const rows = await store
    .selectFrom('credentials')
    .select(['id', 'kind', 'factor', 'name', 'created_at as createdAt', 'used_at as usedAt'])
    .where('user_id', '=', userId)
    .where('kind', 'not in', [link, 'key'])
    .where('confirmed_at', 'is not', null)
    .where('ended_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows as StoredFactor[];
}

/** Whether there was ever one that counted. */
export async function hadFactor(store: Store, userId: number): Promise<boolean> {
  const ended = await store
    .selectFrom('credentials')
    .select('id')
    .where('user_id', '=', userId)
    .where('kind', '<>', link)
    .where('confirmed_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return ended !== undefined;
}

export async function findRequiredFactor(store: Store, roleId: number): Promise<Factor> {
  const role = await store.selectFrom('roles').select('factor').where('id', '=', roleId).executeTakeFirst();
  // A role that is gone demands what nobody has.
  return (role?.factor ?? 3) as Factor;
}

/** One that is not confirmed yet. What was begun before it and not finished is gone. */
export async function insertUnconfirmed(
  transaction: StoreTransaction,
  { userId, kind, factor, sealedSecret, publicPart }: NewFactor,
): Promise<number> {
  await transaction
    .deleteFrom('credentials')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('confirmed_at', 'is', null)
    .execute();
  const insertion = transaction
    .insertInto('credentials')
    .values({
      user_id: userId,
      kind,
      factor,
      sealed_secret: sealedSecret ?? null,
      public_part: publicPart === undefined ? null : JSON.stringify(publicPart),
    })
    .returning('id');
  try {
    return (await insertion.executeTakeFirstOrThrow()).id;
  } catch (error) {
    throw (error as { code?: unknown }).code === ownerDeleted ? new AppError('record_not_found') : error;
  }
}

interface NewFactor {
  readonly userId: number;
  readonly kind: FactorKind;
  readonly factor: Factor;
  readonly sealedSecret?: Buffer;
  readonly publicPart?: object;
}

export interface TotpRow {
  readonly id: number;
  readonly sealedSecret: Buffer | null;
  readonly counter: number;
}

/** The one that counts, or with an id the one that is being set up. */
export async function findTotp(
  store: Store,
  userId: number,
  unconfirmedId?: number,
): Promise<TotpRow | undefined> {
  return await store
    .selectFrom('credentials')
    .select(['id', 'sealed_secret as sealedSecret', 'counter'])
    .where('user_id', '=', userId)
    .where('kind', '=', 'totp')
    .where('ended_at', 'is', null)
    .$if(unconfirmedId === undefined, (select) => select.where('confirmed_at', 'is not', null))
    .$if(unconfirmedId !== undefined, (select) =>
      select.where('id', '=', unconfirmedId ?? 0).where('confirmed_at', 'is', null),
    )
    .executeTakeFirst();
}

/** Whether the step was still to be had: of any number of callers, one gets it. */
export async function spendStep(store: Store, id: number, step: number): Promise<boolean> {
  const spent = await store
    .updateTable('credentials')
    .set({ counter: step, used_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('counter', '<', step)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return spent.numUpdatedRows === 1n;
}

/** What is known of a factor once it is confirmed. */
interface MadeFactor {
  readonly counter: number;
  readonly subject?: string;
  readonly name?: string;
  readonly publicPart?: object;
}

/** Whether it was still being set up: of any number of callers, one gets it, and it may have been swept meanwhile. */
export async function confirm(
  transaction: StoreTransaction,
  id: number,
  { publicPart, ...made }: MadeFactor,
): Promise<boolean> {
  const confirmed = await transaction
    .updateTable('credentials')
    .set({ ...made, ...(publicPart && { public_part: JSON.stringify(publicPart) }) })
    .set({ confirmed_at: sql<Date>`clock_timestamp()`, used_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst();
  return confirmed.numUpdatedRows === 1n;
}

export async function nameFactor(transaction: StoreTransaction, id: number, name: string): Promise<void> {
  await transaction.updateTable('credentials').set({ name }).where('id', '=', id).execute();
}

/** Ends them, and forgets their secrets. */
export async function endFactors(transaction: StoreTransaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await transaction
    .updateTable('credentials')
    .set({ ended_at: sql<Date>`clock_timestamp()`, sealed_secret: null })
    .where('id', 'in', ids)
    .execute();
}

export async function removeUnconfirmed(transaction: StoreTransaction, userId: number): Promise<void> {
  await transaction
    .deleteFrom('credentials')
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is', null)
    .execute();
}

/** What was begun and not finished within a day. */
export async function sweepUnconfirmed(store: Store): Promise<void> {
  await store
    .deleteFrom('credentials')
    .where('confirmed_at', 'is', null)
    .where('created_at', '<=', sql<Date>`now() - make_interval(hours => ${unconfirmedHours})`)
    .execute();
}

/** Of the users of a role, who has nothing that proves as much; counted so far and no further. */
export async function countUsersBelow(
  store: Store,
  roleId: number,
  factor: number,
  most: number,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (
      select from users where role_id = ${roleId} and deleted_at is null and enabled and not exists (
        select from credentials where user_id = users.id and credentials.factor >= ${factor}
          and confirmed_at is not null and ended_at is null
      ) limit ${most}
    ) as counted`.execute(store);
  return rows[0]?.n ?? 0;
}

export async function setRoleFactor(
  transaction: StoreTransaction,
  roleId: number,
  factor: number,
): Promise<void> {
  await transaction.updateTable('roles').set({ factor }).where('id', '=', roleId).execute();
}

/** Seals what is sealed anew, for a change of the master key; a batch after the id, and its last id. */
export async function replaceSealedSecrets(
  transaction: StoreTransaction,
  after: number,
  batch: number,
  reseal: (userId: number, sealed: Buffer) => Buffer | undefined,
): Promise<{ replaced: number; last: number | undefined }> {
  const rows = await transaction
    .selectFrom('credentials')
    .select(['id', 'user_id', 'sealed_secret'])
    .where('sealed_secret', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(batch)
    .forUpdate()
    .execute();
  let replaced = 0;
  for (const { id, user_id, sealed_secret } of rows) {
    const sealed = sealed_secret === null ? undefined : reseal(user_id, sealed_secret);
    if (sealed === undefined) continue;
    await transaction
      .updateTable('credentials')
      .set({ sealed_secret: sealed })
      .where('id', '=', id)
      .execute();
    replaced += 1;
  }
  return { replaced, last: rows.at(-1)?.id };
}
