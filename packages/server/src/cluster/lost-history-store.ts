// SQL of the latch that shuts every gate after changes were lost. It is set here, and opened by `portcullis recover`.
import type { Revision } from '@portcullis/gate';
import { sql } from 'kysely';
import { lockRevision } from './revision-store.ts';
import type { Store, StoreTransaction } from './store/store.ts';

/** No report gives a lease from now on. Does nothing where the history that was found is not the database's any more. */
export async function latchHistory(store: Store, found: Revision): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    // A recovery that holds the lock ends first, and the statements after it see what it did.
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
  /** Whether the database's history is one without the given revision. */
  readonly lacks: boolean;
}

/** In one statement: a revision that is older than what is kept of the history is taken for one of its own. */
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
