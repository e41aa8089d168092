// SQL of the retention of the login log. It waits only briefly for locks that other processes would queue behind.
import { sql } from 'kysely';
import { makePartitions } from '../../cluster/store/migrate.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import type { Head, StoredHead } from './head-store.ts';

/** A month of the log, which is one partition. */
export interface Month {
  readonly table: string;
  readonly startAt: Date;
  readonly endAt: Date;
  /** The first id that it can hold. */
  readonly from: string;
  /** The first id of a later month. */
  readonly before: string;
}

export interface MonthContent {
  readonly records: number;
  readonly deadLetters: number;
  /** The positions of its chains at its end. */
  readonly checkpoints: readonly Head[];
}

/** Records were added to a month, or removed from it, since it was verified. */
export class MonthChanged extends Error {}

const lockMilliseconds = 500;

export async function makeMonths(store: Store): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    await waitBriefly(transaction);
    await makePartitions(transaction);
  });
}

/** The months before those to keep, oldest first. */
export async function listOldMonths(store: Store, keptMonths: number): Promise<Month[]> {
  const { rows } = await sql<Month>`
    with names as (
      select relname as name,
        make_timestamp(substr(relname, 11, 4)::int, substr(relname, 16, 2)::int, 1, 0, 0, 0) as first_day
      from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'login_log'::regclass and relname ~ '^login_log_[0-9]{4}_[0-9]{2}$'
    ), months as (
      select name, first_day at time zone 'UTC' as start_at,
        (first_day + interval '1 month') at time zone 'UTC' as end_at
      from names
      where first_day < date_trunc('month', now() at time zone 'UTC') - make_interval(months => ${keptMonths})
    )
    select name as "table", start_at as "startAt", end_at as "endAt",
      uuid_v7_bound(start_at) as "from", uuid_v7_bound(end_at) as before
    from months order by start_at
  `.execute(store);
  return rows;
}

/**
 * Drops a month and stores its checkpoints, in one transaction. At first it blocks only the writers of this month, so that it can
 * count the records; the drop itself locks the whole log. (A month cannot be detached concurrently, because the log has a default
 * partition.) Rejects with `MonthChanged` when the month holds anything else than what was verified.
 */
export async function dropMonth(store: Store, month: Month, content: MonthContent): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    await waitBriefly(transaction);
    const table = sql.table(month.table);
    await sql`lock table ${table} in share row exclusive mode`.execute(transaction);
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${table}`.execute(transaction);
    const deleted = await transaction
      .deleteFrom('login_log_dead_letters')
      .where('id', '>=', month.from)
      .where('id', '<', month.before)
      .executeTakeFirst();
    const deadLetters = Number(deleted.numDeletedRows);
    if (rows[0]?.n !== content.records - content.deadLetters || deadLetters !== content.deadLetters)
      throw new MonthChanged();
    await replaceHeads(transaction, content.checkpoints);
    await transaction
      .deleteFrom('login_log_counts')
      .where('hour', '>=', month.startAt)
      .where('hour', '<', month.endAt)
      .execute();
    await sql`drop table ${table}`.execute(transaction);
  });
}

async function waitBriefly(transaction: StoreTransaction): Promise<void> {
  await sql`set local lock_timeout = ${sql.lit(lockMilliseconds)}`.execute(transaction);
}

/** A checkpoint replaces the older heads of its chain. */
async function replaceHeads(transaction: StoreTransaction, checkpoints: readonly Head[]): Promise<void> {
  for (const { chain, seq, hash, signature } of checkpoints) {
    await transaction
      .deleteFrom('login_log_heads')
      .where('chain', '=', chain)
      .where('seq', '<=', seq)
      .execute();
    await transaction
      .insertInto('login_log_heads')
      .values({ chain, seq, hash, signature, checkpoint: true })
      .execute();
  }
}

/** Deletes the heads that a newer head of their chain replaces. Returns the number of deleted heads. */
export async function deleteOlderHeads(store: Store, newest: readonly StoredHead[]): Promise<number> {
  const result = await sql`
    delete from login_log_heads using unnest(
      ${newest.map(({ chain }) => chain)}::uuid[], ${newest.map(({ seq }) => seq)}::bigint[]
    ) as newest (chain, seq)
    where login_log_heads.chain = newest.chain and login_log_heads.seq < newest.seq and not checkpoint
  `.execute(store);
  return Number(result.numAffectedRows ?? 0);
}
