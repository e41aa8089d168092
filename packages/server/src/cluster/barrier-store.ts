// SQL of the barrier.
import { sql } from 'kysely';
import type { Store } from '../store/store.ts';
import type { BarrierStore, BarrierView } from './barrier.ts';

export function createBarrierStore(store: Store): BarrierStore {
  return {
    async look() {
      const { rows } = await sql<Omit<BarrierView, 'lowest'> & { lowest: number | null }>`
        select lowest, instances::int, settled_in = database_incarnation() as "isSettled",
          lease_milliseconds as "leaseMilliseconds"
        from current_revision, (select min(revision) as lowest, count(*) as instances from instances) as rows
      `.execute(store);
      if (rows[0] === undefined) throw new Error('The row of the current revision is missing.');
      return { ...rows[0], lowest: rows[0].lowest ?? undefined };
    },
    async removeSilent(revision) {
      await store.deleteFrom('instances').where('revision', '<', revision).execute();
      await store
        .updateTable('current_revision')
        .set({ settled_in: sql<string>`database_incarnation()` })
        .where('settled_in', '<>', sql<string>`database_incarnation()`)
        .execute();
    },
  };
}
