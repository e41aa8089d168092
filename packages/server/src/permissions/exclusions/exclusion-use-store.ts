// SQL of the usage counts of the exclusion list, by entry and day.
import { exclusionDays } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store } from '../../cluster/store/store.ts';

export interface DayUses {
  readonly entry: string;
  readonly day: string;
  readonly uses: number;
}

const today = sql`(now() at time zone 'utc')::date`;
const firstDay = sql`${today} - ${sql.lit(exclusionDays - 1)}`;

/**
 * Adds counts in the order of the entries, so that two instances cannot deadlock, and deletes the days that are not
 * shown.
 */
export async function addUses(store: Store, uses: ReadonlyMap<string, number>): Promise<void> {
  await sql`
    insert into exclusion_uses as counted (entry, day, n)
    select entry, ${today}, n from unnest(${[...uses.keys()]}::text[], ${[...uses.values()]}::bigint[]) as added (entry, n)
    order by entry
    on conflict (entry, day) do update set n = counted.n + excluded.n`.execute(store);
  await sql`delete from exclusion_uses where day < ${firstDay}`.execute(store);
}

/** Newest first. */
export async function listUses(store: Store): Promise<DayUses[]> {
  const { rows } = await sql<DayUses>`
    select entry, day::text as day, n as uses from exclusion_uses where day >= ${firstDay} order by day desc`.execute(
    store,
  );
  return rows;
}
