// SQL of ending the sessions that do not prove enough any more. Set by set, so that a role of a hundred thousand sessions
// holds no lock for long.
import type { Change } from '@portcullis/gate';
import { type RawBuilder, sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';

/** At most so many: found at once, because each further look reads again what was ended since. */
export async function listSessionsWithoutFactorOfRole(
  store: Store,
  roleKey: string,
  factor: number,
  most: number,
): Promise<string[]> {
  const rows = await store
    .selectFrom('sessions')
    .select('jti')
    .where('role_key', '=', roleKey)
    .where('factor', '<', factor)
    .limit(most)
    .execute();
  return rows.map(({ jti }) => jti);
}

export async function endSessions(transaction: StoreTransaction, jtis: readonly string[]): Promise<Change[]> {
  return await end(transaction, sql`jti = any(${jtis}::text[])`);
}

/** All but the one that is kept. */
export async function endSessionsWithoutFactorOfUser(
  transaction: StoreTransaction,
  userId: number,
  factor: number,
  kept: string,
): Promise<Change[]> {
  return await end(transaction, sql`user_id = ${userId} and factor < ${factor} and jti <> ${kept}`);
}

export async function endSessionsProvenBy(
  transaction: StoreTransaction,
  credentialIds: readonly number[],
): Promise<Change[]> {
  if (credentialIds.length === 0) return [];
  return await end(transaction, sql`credential_id = any(${credentialIds}::bigint[])`);
}

/**
 * Also those whose last step was a second factor. Of an account that a provider decides about, every session, whatever method
 * proved it.
 */
export async function endOfLinks(
  transaction: StoreTransaction,
  linkIds: readonly number[],
): Promise<Change[]> {
  if (linkIds.length === 0) return [];
  return await end(
    transaction,
    sql`jti = any (array(
      select jti from sessions where link_id = any(${linkIds}::bigint[])
      union
      select sessions.jti from credentials as links join users on users.id = links.user_id and users.decided_by_provider
        join sessions on sessions.user_id = users.id
      where links.id = any(${linkIds}::bigint[])))`,
  );
}

/** Those of which the provider did not say which session of its own they rest on. */
export async function endUnnamedOfLinks(
  transaction: StoreTransaction,
  linkIds: readonly number[],
): Promise<Change[]> {
  return await end(transaction, sql`link_id = any(${linkIds}::bigint[]) and provider_session is null`);
}

/** Of one session at a provider. */
export async function endOfProviderSession(
  transaction: StoreTransaction,
  providerId: number,
  session: string,
): Promise<Change[]> {
  return await end(transaction, sql`provider_id = ${providerId} and provider_session = ${session}`);
}

async function end(transaction: StoreTransaction, which: RawBuilder<unknown>): Promise<Change[]> {
  const { rows } = await sql<{ jti: string; expires_at: number }>`
    with ended as (
      delete from sessions where ${which} returning jti, user_id, expires_at
    ), revoked as (
      insert into revocations (jti, user_id, expires_at)
      select jti, user_id, to_timestamp(ceil(extract(epoch from expires_at))) from ended
      on conflict do nothing
    )
    select jti, ceil(extract(epoch from expires_at))::float8 as expires_at from ended`.execute(transaction);
  return rows.map(({ jti, expires_at: expiresAt }) => ({ kind: 'token_revoked', jti, expiresAt }));
}

/** How many a higher demand would end, counted so far and no further. */
export async function countSessionsWithoutFactorOfRole(
  store: Store,
  roleKey: string,
  factor: number,
  most: number,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (
      select from sessions where role_key = ${roleKey} and factor < ${factor} and expires_at > now() limit ${most}
    ) as counted`.execute(store);
  return rows[0]?.n ?? 0;
}
