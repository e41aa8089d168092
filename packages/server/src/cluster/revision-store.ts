// SQL of the revisions: the numbered history of access changes. A number and its changes appear with the transaction that made
// them.
import type { Change, Revision } from '@portcullis/gate';
import { sql } from 'kysely';
import type { ScopeChange } from './scope-change.ts';
import type { Store, StoreTransaction } from './store/store.ts';

/** A revision with the incarnation of the database that committed it; its writer waits for this pair. */
export interface Written {
  readonly n: number;
  readonly incarnation: string;
}

const page = 1000;

/** Numbers these changes. The row lock keeps the numbers without gaps and in the order of commits. */
export async function writeRevision(
  transaction: StoreTransaction,
  changes: readonly Change[],
  moves: readonly ScopeChange[] = [],
): Promise<Written> {
  const { rows } = await sql<Written>`
    with next as (update current_revision set n = n + 1, mark = gen_random_uuid() returning n, mark)
    insert into revisions (n, mark, changes, moves)
    select n, mark, ${JSON.stringify(changes)}::jsonb, ${JSON.stringify(moves)}::jsonb from next
    returning n, database_incarnation() as incarnation`.execute(transaction);
  return theOnly(rows);
}

/**
 * Holds the lock until the transaction ends, so that no other transaction numbers changes meanwhile. Returns the state after the
 * wait for the lock.
 */
export async function lockRevision(transaction: StoreTransaction): Promise<Revision & Written> {
  const { rows } = await sql<Revision & Written>`
    select n, mark, database_incarnation() as incarnation from current_revision for update`.execute(
    transaction,
  );
  return theOnly(rows);
}

function theOnly<T extends Written>(rows: readonly T[]): T {
  if (rows[0] === undefined) throw new Error('The row of the current revision is missing.');
  return rows[0];
}

/** In milliseconds; the current time, not the begin of the transaction. */
export async function readDatabaseTime(store: Store): Promise<number> {
  const { rows } = await sql<{ at: number }>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as at`.execute(store);
  if (rows[0] === undefined) throw new Error('The database does not say its time.');
  return rows[0].at;
}

export async function readCurrentRevision(store: Store): Promise<Revision> {
  return await store.selectFrom('current_revision').select(['n', 'mark']).executeTakeFirstOrThrow();
}

/** The given revision, if it is still kept, and the revisions after it; at most one page, as stored. */
export async function listRevisionsFrom(store: Store, n: number) {
  return await store
    .selectFrom('revisions')
    .select(['n', 'mark', 'changes', 'moves'])
    .where('n', '>=', n)
    .orderBy('n')
    .limit(page)
    .execute();
}

/** An instance that misses a longer time loads everything instead. */
const keptFor = sql`interval '1 day'`;
const sweptAtOnce = 5000;

/** Keeps the current revision: instances continue from it. */
export async function sweepRevisions(store: Store): Promise<void> {
  await sql`
    delete from revisions where n in (
      select n from revisions where at < now() - ${keptFor} and n < (select n from current_revision)
      order by n limit ${sweptAtOnce})`.execute(store);
}

/**
 * Restarts the history after changes were lost: with a number that no instance has seen, and without revisions to continue from.
 * The number is the time, because the restart of a history can be lost too: the number of a later restart is greater, also after
 * a thousand changes a second in between. Only when a clock was set back, the number derives from the old number alone.
 */
export async function restartHistory(transaction: StoreTransaction): Promise<Written> {
  const milliseconds = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  await transaction.deleteFrom('revisions').execute();
  await transaction
    .updateTable('current_revision')
    .set({
      n: sql<number>`case when n < ${milliseconds} then ${milliseconds} else n + 1000000000 end`,
      history_lost_at: null,
    })
    .execute();
  return await writeRevision(transaction, []);
}
