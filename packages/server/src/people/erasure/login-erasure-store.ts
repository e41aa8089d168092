// SQL that erases a person's data in the login log, and finds the previous record in the chain, which is needed to verify a record.
import { sql } from 'kysely';
import type { Store } from '../../cluster/store/store.ts';
import type { ChainPosition } from '../../logs/login-log/chain.ts';
import type { LoginRow } from '../../logs/login-log/login-row.ts';
import { withIndexScans } from '../../logs/login-log/reading/index-scan-store.ts';

/** Whose records: those of an account, or those of attempts without an account under a recorded name. */
export type Owner = { readonly userId: number } | { readonly name: string };

export interface PersonRow extends LoginRow {
  readonly chain: string | null;
  readonly seq: number | null;
  readonly hash: Buffer | null;
  /** Expected to be null: the record is not erased yet, so no instance has written an attestation. */
  readonly seal: Buffer | null;
}

const lowestId = '00000000-0000-0000-0000-000000000000';

/** The records of the owner that are not erased yet, sorted by id. */
export async function listRowsOf(
  store: Store,
  owner: Owner,
  { after = lowestId, most }: { readonly after?: string | undefined; readonly most: number },
): Promise<PersonRow[]> {
  // The same expressions as in the indexes (0004-login-log.sql).
  const isOwners =
    'userId' in owner
      ? sql`(user_id & 1023) = (${owner.userId}::bigint & 1023) and user_id = ${owner.userId}`
      : sql`(hashtextextended(username, 0) & 1023) = (hashtextextended(${owner.name}, 0) & 1023)
          and username = ${owner.name} and user_id is null`;
  const { rows } = await sql<PersonRow>`
    select id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, username, user_id, role_key, outcome,
      reason, ip, user_agent, browser, os, platform, location, request_id, jti, instance, method, credential_id, provider,
      chain, seq, hash, seal
    from login_log where ${isOwners} and id > ${after} and erasure is null order by id limit ${most}`.execute(
    store,
  );
  return rows.map((row) => ({ ...row, at: boundTime(row.at) }));
}

/** In milliseconds, as the time was chained; a time with microseconds was changed. */
function boundTime(at: string): string {
  return at.replace(/000Z$/, 'Z');
}

/** How many records one statement scans: few at first, because few chains are written concurrently. */
const firstStep = 50;
const mostStep = 5000;

/**
 * The previous record in the chain; undefined if it is missing. Ids grow within a chain, so the search goes backwards from the id
 * of the record. It skips records with a higher number, which an attacker can have inserted between the two.
 */
export async function findPrevious(
  store: Store,
  { id, chain, seq }: { readonly id: string; readonly chain: string; readonly seq: number },
): Promise<ChainPosition | undefined> {
  const elsewhere = await findElsewhere(store, chain, seq - 1);
  if (elsewhere !== undefined) return elsewhere;
  let below: string | null = id;
  for (let step = firstStep; below !== null; step = Math.min(mostStep, step * 10)) {
    const found: Walked = await walkBack(store, { chain, seq, below, step });
    if (found.hash !== null) return found.seq === seq - 1 ? { seq: found.seq, hash: found.hash } : undefined;
    below = found.reached;
  }
  return undefined;
}

interface Walked {
  readonly seq: number | null;
  readonly hash: Buffer | null;
  /** The id from which the next scan continues; null at the end of the log. */
  readonly reached: string | null;
}

interface Walk {
  readonly chain: string;
  readonly seq: number;
  readonly below: string;
  readonly step: number;
}

async function walkBack(store: Store, { chain, seq, below, step }: Walk): Promise<Walked> {
  const { rows } = await withIndexScans(store, (transaction) =>
    sql<Walked>`
      with walked as materialized (
        select id, chain, seq, hash from login_log where id < ${below} order by id desc limit ${step})
      select found.seq, found.hash,
        case when (select count(*) from walked) < ${step} then null
          else (select id from walked order by id limit 1) end as reached
      from (values (1)) as one (one) left join lateral (
        select seq, hash from walked where chain = ${chain} and seq < ${seq} order by seq desc limit 1
      ) as found on true`.execute(transaction),
  );
  return rows[0] ?? { seq: null, hash: null, reached: null };
}

/** Finds a rejected record, or the checkpoint of the last record of a dropped month. */
async function findElsewhere(store: Store, chain: string, seq: number): Promise<ChainPosition | undefined> {
  const { rows } = await sql<ChainPosition>`
    select seq, hash from login_log_dead_letters where chain = ${chain} and seq = ${seq}
    union all
    select seq, hash from login_log_heads where chain = ${chain} and seq = ${seq} and checkpoint limit 1`.execute(
    store,
  );
  return rows[0];
}

export interface Sealed {
  readonly id: string;
  readonly seal: Buffer | null;
}

/** Returns how many records were erased. */
export async function eraseLoginRecords(
  store: Store,
  userId: number,
  sealed: readonly Sealed[],
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select erase_login_records(${userId}, ${sealed.map(({ id }) => id)}::uuid[],
      ${sealed.map(({ seal }) => seal)}::bytea[]) as n`.execute(store);
  return rows[0]?.n ?? 0;
}

export interface RejectedRecord extends ChainPosition {
  readonly id: string;
  readonly chain: string;
  readonly raw: Buffer;
  readonly seal: Buffer | null;
}

/** All rejected records that are not erased yet; there are few. */
export async function listRejectedRecords(store: Store): Promise<RejectedRecord[]> {
  return await store
    .selectFrom('login_log_dead_letters')
    .select(['id', 'chain', 'seq', 'hash', 'raw', 'seal'])
    .where('erasure', 'is', null)
    .orderBy('id')
    .execute();
}

export async function eraseRejectedRecord(
  store: Store,
  userId: number,
  { id, raw, seal }: Sealed & { readonly raw: Buffer },
): Promise<void> {
  await sql`select erase_dead_letter(${userId}, ${id}, ${raw}, ${seal})`.execute(store);
}
