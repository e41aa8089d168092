// SQL that writes the login log.
import { sql } from 'kysely';
import type { Store } from '../../cluster/store/store.ts';
import type { ChainedRow } from './login-row.ts';

/** Counters per hour and reason. Each instance adds to one shard, which the hash of its id selects. */
const shards = 16;

/**
 * Stores records, each given as the JSON text of its row. To store a record twice stores and counts it once, because its id is the
 * key. The counters are updated in one order, so that two instances cannot deadlock. Records of an erased person come from a spool
 * that was cut off: they reopen the erasure.
 */
export async function insertLoginRows(store: Store, texts: readonly string[]): Promise<void> {
  await sql`
    with stored as (
      insert into login_log select * from json_populate_recordset(null::login_log, ${`[${texts.join(',')}]`})
      on conflict do nothing returning at, reason, instance, user_id
    ), late as (
      -- The lock is taken also where it is open: a transaction that finishes it waits, and then sees these.
      update erasures set finished_at = null from stored where erasures.user_id = stored.user_id
    )
    insert into login_log_counts as counted (hour, reason, shard, n)
    select date_trunc('hour', at, 'UTC') as hour, reason, abs(hashtext(instance::text) % ${shards}) as shard, count(*)
    from stored group by hour, reason, shard order by hour, reason, shard
    on conflict (hour, reason, shard) do update set n = counted.n + excluded.n
  `.execute(store);
}

/** Stores a record that the table refuses, unchanged. A record of an erased person reopens the erasure, as above. */
export async function insertRejectedRecord(store: Store, text: string, cause: string): Promise<void> {
  const { id, chain, seq, hash, user_id: userId } = JSON.parse(text) as ChainedRow;
  // The table may have refused the record because of this value.
  const owner = Number.isSafeInteger(userId) ? userId : null;
  await sql`
    with stored as (
      insert into login_log_dead_letters (id, chain, seq, hash, raw, cause)
      values (${id}, ${chain}, ${seq}, ${Buffer.from(hash.slice(2), 'hex')}, ${Buffer.from(text)}, ${cause})
      on conflict do nothing returning id
    )
    update erasures set finished_at = null from stored where erasures.user_id = ${owner}::bigint`.execute(
    store,
  );
}

/** When the last erasure was finished, as a text for comparison. */
export async function findLastErasure(store: Store): Promise<string | undefined> {
  const { rows } = await sql<{ at: string | null }>`
    select finished_at::text as at from erasures where finished_at is not null order by finished_at desc limit 1`.execute(
    store,
  );
  return rows[0]?.at ?? undefined;
}
