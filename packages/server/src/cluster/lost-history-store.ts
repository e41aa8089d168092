// SQL of lost history: the latch that makes every gate refuse after changes were lost, and its detection. `portcullis recover`
// opens the latch.
import type { Revision } from '@portcullis/gate';
import { sql } from 'kysely';
import { lockRevision } from './revision-store.ts';
import type { Store, StoreTransaction } from './store/store.ts';

/**
 * Sets the latch: no report gives a lease from now on. Does nothing when the history that was found is no longer the database's.
 */
export async function latchHistory(store: Store, found: Revision): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    // A recovery that holds the lock finishes first, and the statements below see its result.
    const current = await lockRevision(transaction);
    if (!isSame(current, found) && !(await isOfHistory(transaction, found))) return;
    await transaction
      .updateTable('current_revision')
      .set({ history_lost_at: sql<Date>`now()` })
      .where('history_lost_at', 'is', null)
      .execute();
  });
}

function isSame(one: Revision, other: Revision): boolean {
  return one.n === other.n && one.mark === other.mark;
}

async function isOfHistory(transaction: StoreTransaction, { n, mark }: Revision): Promise<boolean> {
  const row = await transaction
    .selectFrom('revisions')
    .select('n')
    .where('n', '=', n)
    .where('mark', '=', mark)
    .executeTakeFirst();
  return row !== undefined;
}

export interface HistoryView {
  readonly current: Revision;
  readonly lostAt: Date | undefined;
  /** Whether the database's history lacks the given revision. */
  readonly lacks: boolean;
}

/** One statement. A revision that is older than the kept part of the history counts as part of it. */
export async function readHistory(store: Store, own: Revision): Promise<HistoryView> {
  const { n, mark, history_lost_at, own_mark } = await store
    .selectFrom('current_revision')
    .leftJoin('revisions', (join) => join.on('revisions.n', '=', own.n))
    .select(['current_revision.n', 'current_revision.mark', 'history_lost_at', 'revisions.mark as own_mark'])
    .executeTakeFirstOrThrow();
  const known = own.n === n ? mark : own_mark;
  const lacks = own.n > n || (known ?? own.mark) !== own.mark;
  return { current: { n, mark }, lostAt: history_lost_at ?? undefined, lacks };
}
