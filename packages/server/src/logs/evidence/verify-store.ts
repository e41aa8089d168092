// SQL that reads the login log for verification: a consistent snapshot, while instances continue to write.
import { sql } from 'kysely';
import { readPages } from '../../cluster/store/read-pages.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import type { LoginRow } from '../login-log/login-row.ts';

/** A row of the table, or a rejected record (dead letter). */
export interface StoredRow extends LoginRow {
  readonly chain: string | null;
  readonly seq: number | null;
  readonly hash: Buffer | null;
  /** Of a rejected record: its text as spooled. */
  readonly raw: Buffer | null;
  readonly erasure: string | null;
  readonly seal: Buffer | null;
}

/** Everything that the work reads is of one snapshot. */
export async function inSnapshot<T>(
  store: Store,
  work: (transaction: StoreTransaction) => Promise<T>,
): Promise<T> {
  return await store
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (transaction) => {
      // Before the snapshot: a month that is dropped right after it would look like removed records.
      await sql`lock table login_log in access share mode`.execute(transaction);
      // Times are compared as text: a number of milliseconds would hide a change of microseconds.
      await sql`set local time zone 'UTC'`.execute(transaction);
      await sql`set local datestyle = 'ISO'`.execute(transaction);
      // The indexes already have the order; a sort would write everything to disk.
      await sql`set local enable_sort = off`.execute(transaction);
      await sql`set local jit = off`.execute(transaction);
      // On a busy host the work on a page can take a while.
      await sql`set local idle_in_transaction_session_timeout = '10min'`.execute(transaction);
      return await work(transaction);
    });
}

/** All records in the order of their ids, from all months and with the rejected ones; before an id when one is given. */
export function readRows(transaction: StoreTransaction, before?: string): AsyncGenerator<StoredRow[]> {
  const range = before === undefined ? sql`` : sql`where id < ${sql.lit(before)}`;
  const rejected = readPages<StoredRow>(
    transaction,
    'dead_letters',
    sql`select id, chain, seq, hash, raw, erasure, seal from login_log_dead_letters ${range} order by id`,
  );
  const rows = readPages<StoredRow>(
    transaction,
    'records',
    sql`
      select id, at::text, username, user_id, role_key, outcome, reason, ip, user_agent, browser, os, platform,
        location, request_id, jti, instance, method, credential_id, provider, chain, seq, hash, null::bytea as raw, erasure, seal
      from login_log ${range} order by id
    `,
  );
  return mergePages(rows, rejected);
}

/** Counts the records from before there were chains. */
export async function countUnchained(transaction: StoreTransaction): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from login_log where chain is null and id < coalesce(
      (select id from login_log where chain is not null order by id limit 1), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  `.execute(transaction);
  return rows[0]?.n ?? 0;
}

async function* mergePages(
  first: AsyncGenerator<StoredRow[]>,
  second: AsyncGenerator<StoredRow[]>,
): AsyncGenerator<StoredRow[]> {
  let [one, other] = [await nextPage(first), await nextPage(second)];
  for (;;) {
    const ends = [one.at(-1)?.id, other.at(-1)?.id].filter((id) => id !== undefined).sort();
    const [end] = ends;
    if (end === undefined) return;
    // Up to this id, both lists are known.
    const taken = [...takeUpTo(one, end), ...takeUpTo(other, end)];
    yield ends.length === 1 ? taken : taken.sort((a, b) => (a.id < b.id ? -1 : 1));
    if (one.length === 0) one = await nextPage(first);
    if (other.length === 0) other = await nextPage(second);
  }
}

async function nextPage(pages: AsyncGenerator<StoredRow[]>): Promise<StoredRow[]> {
  const { value, done } = await pages.next();
  return done === true ? [] : value;
}

/** Removes the rows from the page. */
function takeUpTo(page: StoredRow[], id: string): StoredRow[] {
  const end = page.findIndex((row) => row.id > id);
  return page.splice(0, end === -1 ? page.length : end);
}
