// The numbered history of access changes. A number and its changes appear with the transaction that made them.
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../store/store.ts';
import type { Change } from './change.ts';

/** Numbers these changes. The row lock keeps numbers without a gap and in the order of commits. */
export async function writeRevision(
  transaction: StoreTransaction,
  changes: readonly Change[],
): Promise<number> {
  const { n } = await transaction
    .updateTable('current_revision')
    .set({ n: sql<number>`n + 1` })
    .returning('n')
    .executeTakeFirstOrThrow();
  await transaction
    .insertInto('revisions')
    .values({ n, changes: JSON.stringify(changes) })
    .execute();
  return n;
}

export async function readCurrentRevision(store: Store): Promise<number> {
  const { n } = await store.selectFrom('current_revision').select('n').executeTakeFirstOrThrow();
  return n;
}

export async function listRevisionsAfter(store: Store, revision: number) {
  const rows = await store
    .selectFrom('revisions')
    .select(['n', 'changes'])
    .where('n', '>', revision)
    .orderBy('n')
    .execute();
  return rows.map((row) => ({ n: row.n, changes: row.changes as unknown as readonly Change[] }));
}
