// SQL of links (which subject of which provider is which user), of invitations and link attempts, of logouts at a provider, and of
// ids that are accepted once (replay protection).
import { AppError } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import { isStorable } from '../../people/users/user-store.ts';

const uniqueViolation = '23505';
const attemptSeconds = 600;

export interface ProviderLink {
  readonly id: number;
  readonly userId: number;
  readonly providerId: number;
  readonly subject: string;
}

/** Searches by provider and subject, and by nothing else. */
export async function findLink(
  store: Store,
  providerId: number,
  subject: string,
): Promise<ProviderLink | undefined> {
  const row = await store
    .selectFrom('credentials')
    .select(['id', 'user_id as userId'])
    .where('kind', '=', 'link')
    .where('provider_id', '=', providerId)
    .where('subject', '=', subject)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return row && { ...row, providerId, subject };
}

export async function listLinks(store: Store, userId: number) {
  return await store
    .selectFrom('credentials')
    .innerJoin('providers', 'providers.id', 'credentials.provider_id')
    .select(['credentials.id', 'providers.id as providerId', 'providers.key as providerKey'])
    .select(['providers.name as providerName', 'credentials.name', 'credentials.created_at as createdAt'])
    .select(['credentials.used_at as usedAt', 'credentials.subject'])
    .where('credentials.user_id', '=', userId)
    .where('credentials.kind', '=', 'link')
    .where('credentials.ended_at', 'is', null)
    .orderBy('credentials.id')
    .execute();
}

/** Throws `conflict` when the subject is linked already, or the user has a link to the provider. */
export async function insertLink(
  transaction: StoreTransaction,
  { userId, providerId, subject, name }: Omit<ProviderLink, 'id'> & { readonly name: string },
): Promise<number> {
  const now = sql<Date>`clock_timestamp()`;
  try {
    const { id } = await transaction
      .insertInto('credentials')
      .values({ user_id: userId, kind: 'link', factor: 1, provider_id: providerId, subject, name })
      .returning('id')
      .executeTakeFirstOrThrow();
    await transaction
      .updateTable('credentials')
      .set({ confirmed_at: now, used_at: now })
      .where('id', '=', id)
      .execute();
    return id;
  } catch (error) {
    throw (error as { code?: unknown }).code === uniqueViolation ? new AppError('conflict') : error;
  }
}

/**
 * Stores the time of use and the groups that the provider named; `undefined` keeps the groups that are stored. A group that the
 * database cannot store is left out: no mapping can name it.
 */
export async function useLink(
  store: Store,
  id: number,
  groups: readonly string[] | undefined,
): Promise<void> {
  await store
    .updateTable('credentials')
    .set({ used_at: sql<Date>`clock_timestamp()` })
    .$if(groups !== undefined, (update) => update.set({ groups: JSON.stringify(groups?.filter(isStorable)) }))
    .where('id', '=', id)
    .execute();
}

/** Replaces an earlier invitation of the same user to the same provider. */
export async function openInvitation(
  transaction: StoreTransaction,
  { userId, providerId, hash, expiresAt }: Invitation,
): Promise<void> {
  const changed = { hash, expires_at: expiresAt };
  await transaction
    .insertInto('link_invitations')
    .values({ user_id: userId, provider_id: providerId, ...changed })
    .onConflict((conflict) => conflict.columns(['user_id', 'provider_id']).doUpdateSet(changed))
    .execute();
}

interface Invitation {
  readonly userId: number;
  readonly providerId: number;
  readonly hash: Buffer;
  readonly expiresAt: Date;
}

/** Returns the invited user. The invitation can still be used. */
export async function findInvited(
  transaction: StoreTransaction,
  providerId: number,
  hash: Buffer,
): Promise<number | undefined> {
  const invited = await transaction
    .selectFrom('link_invitations')
    .select('user_id')
    .where('provider_id', '=', providerId)
    .where('hash', '=', hash)
    .executeTakeFirst();
  return invited?.user_id;
}

/** Whether the account is enabled. Its row is locked until the transaction ends. */
export async function lockEnabledUser(transaction: StoreTransaction, userId: number): Promise<boolean> {
  const locked = await transaction
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('enabled', '=', true)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return locked !== undefined;
}

/** Uses up the invitation, and returns the invited user. Of concurrent callers, only one gets the user. */
export async function spendInvitation(
  transaction: StoreTransaction,
  providerId: number,
  hash: Buffer,
): Promise<number | undefined> {
  const spent = await transaction
    .deleteFrom('link_invitations')
    .where('provider_id', '=', providerId)
    .where('hash', '=', hash)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('user_id')
    .executeTakeFirst();
  return spent?.user_id;
}

/** Whether there was an invitation. */
export async function closeInvitations(
  transaction: StoreTransaction,
  userId: number,
  providerId: number,
): Promise<boolean> {
  const closed = await transaction
    .deleteFrom('link_invitations')
    .where('user_id', '=', userId)
    .where('provider_id', '=', providerId)
    .executeTakeFirst();
  return closed.numDeletedRows > 0n;
}

export interface LinkAttempt {
  readonly userId: number;
  readonly providerId: number;
  /** The session that began it. */
  readonly jti: string;
}

export async function insertLinkAttempt(
  store: Store,
  handle_hash: Buffer,
  { userId, providerId, jti }: LinkAttempt,
): Promise<Date> {
  const { expires_at } = await store
    .insertInto('link_attempts')
    .values({
      handle_hash,
      user_id: userId,
      provider_id: providerId,
      jti,
      expires_at: sql<Date>`now() + make_interval(secs => ${attemptSeconds})`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  return expires_at;
}

/** Returns and deletes the attempt: it can be finished once. */
export async function takeLinkAttempt(store: Store, handleHash: Buffer): Promise<LinkAttempt | undefined> {
  return await store
    .deleteFrom('link_attempts')
    .where('handle_hash', '=', handleHash)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['user_id as userId', 'provider_id as providerId', 'jti'])
    .executeTakeFirst();
}

/** Records an id until it expires. True only for the first call with this id (replay protection). */
export async function recordIdOnce(
  transaction: StoreTransaction,
  kind: string,
  idHash: Buffer,
  expiresAt: Date,
): Promise<boolean> {
  const seen = await transaction
    .insertInto('seen_ids')
    .values({ kind, id_hash: idHash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return seen.numInsertedOrUpdatedRows === 1n;
}

export async function sweepLinks(store: Store): Promise<void> {
  for (const table of ['link_invitations', 'link_attempts', 'provider_logouts', 'seen_ids'] as const)
    await sql`delete from ${sql.table(table)} where expires_at <= now()`.execute(store);
}

/** Longer than the longest lifetime of a token (24 hours), and longer than any login takes. */
const rememberedHours = 25;

export async function recordProviderLogout(
  transaction: StoreTransaction,
  { providerId, kind, value }: { providerId: number; kind: 'session' | 'subject' | 'unnamed'; value: string },
): Promise<void> {
  const times = {
    ended_at: sql<Date>`clock_timestamp()`,
    expires_at: sql<Date>`clock_timestamp() + make_interval(hours => ${rememberedHours})`,
  };
  await transaction
    .insertInto('provider_logouts')
    .values({ provider_id: providerId, kind, value, ...times })
    .onConflict((conflict) => conflict.columns(['provider_id', 'kind', 'value']).doUpdateSet(times))
    .execute();
}

export async function listUsersOfSession(
  store: Store,
  providerId: number,
  session: string,
): Promise<number[]> {
  const rows = await store
    .selectFrom('sessions')
    .select('user_id')
    .distinct()
    .where('provider_id', '=', providerId)
    .where('provider_session', '=', session)
    .execute();
  return rows.map(({ user_id }) => user_id);
}
