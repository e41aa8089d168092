// SQL of session revocation: ends the sessions whose proof is below the required factor, or is no longer valid. Callers end them
// batch by batch, so that a role with a hundred thousand sessions holds no lock for long.
import type { Change } from '@portcullis/gate';
import { type RawBuilder, sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';

/** Lists up to `most` sessions in one query, because a further query reads again the rows that ended in the meantime. */
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

/** Ends all these sessions except `kept`. */
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
 * Also ends the sessions whose last step was a second factor. If a provider decides about the account, every session of the
 * account ends, whatever method proved it.
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

/** Ends the sessions for which the provider did not name its own session. */
export async function endUnnamedOfLinks(
  transaction: StoreTransaction,
  linkIds: readonly number[],
): Promise<Change[]> {
  return await end(transaction, sql`link_id = any(${linkIds}::bigint[]) and provider_session is null`);
}

/** Ends the sessions that are based on one session at the provider. */
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

/** Counts the sessions that a higher requirement would end, up to `most`. */
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
