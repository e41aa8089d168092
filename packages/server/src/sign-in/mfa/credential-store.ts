// SQL of credentials beside the password: second factors (MFA) such as TOTP and passkeys, and the required factor of a role.
import { AppError, type Factor, type FactorKind } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';

/** Advisory locks. The trigger of the table `sessions` has the same numbers. */
const roleLock = 1886352748;
const userLock = 1886352749;
/** Enough time to fetch a phone. Secrets of apps that were never set up must not be kept forever. */
const unconfirmedHours = 24;
/** Error code of the trigger that refuses a credential of a deleted account. */
const ownerDeleted = 'PF003';
/** A provider link replaces the password, so it is no factor beside it. */
const link = 'link';

/** Until the transaction ends, no session of the user is stored. A session that waited sees the change. */
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

/** The factors in force: confirmed, and not ended. Keys of a service account are no factors. */
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

/** Whether the user has or had a confirmed factor. */
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
  // A role that does not exist requires the highest factor.
  return (role?.factor ?? 3) as Factor;
}

/** Inserts a factor that is not confirmed yet, and deletes earlier unconfirmed ones of its kind. */
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

/** The TOTP factor in force, or with an id the factor that is being enrolled. */
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

/** Consumes the time step (replay protection). Whether it was unused: if several callers use it, exactly one gets true. */
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

/** The data of a factor that its confirmation stores. */
interface MadeFactor {
  readonly counter: number;
  readonly subject?: string;
  readonly name?: string;
  readonly publicPart?: object;
}

/**
 * Whether the factor was still unconfirmed: if several callers confirm it, exactly one gets true. The sweep can delete it
 * first.
 */
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

/** Ends the factors, and deletes their secrets. */
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

/** Deletes enrolments that were not confirmed within a day. */
export async function sweepUnconfirmed(store: Store): Promise<void> {
  await store
    .deleteFrom('credentials')
    .where('confirmed_at', 'is', null)
    .where('created_at', '<=', sql<Date>`now() - make_interval(hours => ${unconfirmedHours})`)
    .execute();
}

/** Counts the enabled users of a role without a credential of at least this factor, up to `most`. */
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
