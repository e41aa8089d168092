// SQL of the revocation barrier: reads the oldest reported revision, and removes silent instances.
import { sql } from 'kysely';
import type { BarrierStore, BarrierView } from './barrier.ts';
import type { Store } from './store/store.ts';

/**
 * Records that one full lease has passed since the incarnation began. Does nothing when the database has another incarnation by
 * now.
 */
export async function markMembershipComplete(store: Store, incarnation: string): Promise<void> {
  await store
    .updateTable('current_revision')
    .set({ settled_in: incarnation })
    .where('settled_in', '<>', incarnation)
    .where(sql<string>`database_incarnation()`, '=', incarnation)
    .execute();
}

export function createBarrierStore(store: Store): BarrierStore {
  return {
    async readView() {
      const { rows } = await sql<Omit<BarrierView, 'lowest'> & { lowest: number | null }>`
        select lowest, instances::int, database_incarnation() as incarnation,
          settled_in = database_incarnation() as "membershipComplete", lease_milliseconds as "leaseMilliseconds"
        from current_revision, (select min(revision) as lowest, count(*) as instances from instances) as rows
      `.execute(store);
      if (rows[0] === undefined) throw new Error('The row of the current revision is missing.');
      return { ...rows[0], lowest: rows[0].lowest ?? undefined };
    },
    async removeSilent({ n, incarnation }) {
      await store
        .deleteFrom('instances')
        .where('revision', '<', n)
        .where(sql<string>`database_incarnation()`, '=', incarnation)
        .execute();
      await markMembershipComplete(store, incarnation);
    },
  };
}
