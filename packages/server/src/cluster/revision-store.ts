// The numbered history of access changes. A number and its changes appear with the transaction that made them.
import type { Change, Revision } from '@portcullis/gate';
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../store/store.ts';

/** A revision as its writer waits for it: in the incarnation of the database that committed it. */
export interface Written {
  readonly n: number;
  readonly incarnation: string;
}

const page = 1000;

/** Numbers these changes. The row lock keeps numbers without a gap and in the order of commits. */
export async function writeRevision(
  transaction: StoreTransaction,
  changes: readonly Change[],
): Promise<Written> {
  const { rows } = await sql<Written>`
    with next as (update current_revision set n = n + 1, mark = gen_random_uuid() returning n, mark)
    insert into revisions (n, mark, changes) select n, mark, ${JSON.stringify(changes)}::jsonb from next
    returning n, database_incarnation() as incarnation`.execute(transaction);
  return theOnly(rows);
}

/** For a write that found nothing to change. */
export async function readWritten(transaction: StoreTransaction): Promise<Written> {
  const { rows } = await sql<Written>`
    select n, database_incarnation() as incarnation from current_revision`.execute(transaction);
  return theOnly(rows);
}

function theOnly(rows: readonly Written[]): Written {
  if (rows[0] === undefined) throw new Error('The row of the current revision is missing.');
  return rows[0];
}

export async function readCurrentRevision(store: Store): Promise<Revision> {
  return await store.selectFrom('current_revision').select(['n', 'mark']).executeTakeFirstOrThrow();
}

/** The revision itself, where it is still known, and those after it; a page of them, with their changes as stored. */
export async function listRevisionsFrom(store: Store, n: number) {
  return await store
    .selectFrom('revisions')
    .select(['n', 'mark', 'changes'])
    .where('n', '>=', n)
    .orderBy('n')
    .limit(page)
    .execute();
}

/** An instance that was away for longer than this loads everything instead. */
const keptFor = sql`interval '1 day'`;
const sweptAtOnce = 5000;

/** The current one stays: instances follow on from it. */
export async function sweepRevisions(store: Store): Promise<void> {
  await sql`
    delete from revisions where n in (
      select n from revisions where at < now() - ${keptFor} and n < (select n from current_revision)
      order by n limit ${sweptAtOnce})`.execute(store);
}

/** After changes were lost: a number that no instance has seen, and no history that one could go on from. */
export async function restartHistory(transaction: StoreTransaction): Promise<Written> {
  await transaction.deleteFrom('revisions').execute();
  await transaction.updateTable('current_revision').set({ n: sql<number>`n + 1000000000` }).execute();
  return await writeRevision(transaction, []);
}
