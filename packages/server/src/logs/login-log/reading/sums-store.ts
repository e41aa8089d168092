// SQL of statistics over the login log. A caller who is allowed to see everything gets the counts that are kept with the records,
// by hour and reason. For other callers and other filters, the newest records are counted.
import type { LoginReason } from '@portcullis/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../../../cluster/store/store.ts';
import { timeOfId } from '../../../cluster/store/uuid-v7.ts';
import { isAnyOf, scanAnyOf, scanIds, withIndexScans } from './index-scan-store.ts';
import { isInScope, planScan, type ScanPlan } from './page-store.ts';
import { type AnyOf, failureReasons, outcomeOf, type Search } from './search.ts';

/** The most records that a count reads. */
const mostRecords = { ofAll: 50_000, /** Per scan, also when there are many. */ ofPlace: 10_000 };
const mostFailures = 100_000;
const topLength = 10;

interface HourCount {
  readonly hour: Date;
  readonly reason: LoginReason;
  readonly count: number;
}

/** Expects a range of whole hours, and conditions on the reason. */
export async function countKeptByHour(
  store: Store,
  { from, to }: { from: number; to: number },
  conditions: readonly AnyOf[],
) {
  const fitting = sql.join([sql`true`, ...conditions.map(isAnyOf)], sql` and `);
  const { rows } = await sql<HourCount>`
    select hour, reason, sum(n)::bigint as count from login_log_counts
    where hour >= ${new Date(from)} and hour < ${new Date(to)} and ${fitting}
    group by hour, reason order by hour, reason`.execute(store);
  return { complete: true, hours: rows.map(hourOf) };
}

/** The columns that filters use. */
const countedColumns = sql`id, at, username, user_id, reason, ip, browser, os, location`;

/** Counts the newest records of the search. When those are not all, `countedFrom` is when they begin. */
export async function countByHour(store: Store, search: Search, most = mostRecords) {
  return await withIndexScans(store, async (transaction) => {
    const plan = await planScan(transaction, search, search);
    if (plan === undefined) return { complete: true, hours: [] };
    const { lower, rowsAtMost } = await findEnd(transaction, search, plan, most);
    const fitting = sql.join([sql`true`, ...plan.filters], sql` and `);
    const { rows } = await sql<HourCount>`
      with walked as materialized (${plan.scan({ ...search, lower: lower ?? search.lower }, rowsAtMost, countedColumns)})
      select date_bin('1 hour', at, timestamptz 'epoch') as hour, reason, count(*) as count
      from walked where ${fitting} group by 1, reason order by 1, reason`.execute(transaction);
    const hours = rows.map(hourOf);
    if (lower === undefined) return { complete: true, hours };
    return { complete: false, countedFrom: new Date(timeOfId(lower) + 1).toISOString(), hours };
  });
}

/**
 * How far back the count goes (undefined: the whole search), and the most rows that it reads. Each scan ends separately, and the
 * count ends where the first scan does, because records are missing behind that.
 */
async function findEnd(store: Store, search: Search, { scansByValue }: ScanPlan, most: typeof mostRecords) {
  const mostOfPlace = Math.max(most.ofPlace, Math.ceil(most.ofAll / scansByValue.length));
  const ends = scansByValue.map(
    (scan) => sql`(select id from (${scan(search, mostOfPlace, sql`id`)}) as walked
      order by id desc limit 1 offset ${mostOfPlace - 1})`,
  );
  const { rows } = await sql<{ id: string }>`
    select id from (${sql.join(ends, sql` union all `)}) as ends order by id desc limit 1`.execute(store);
  return { lower: rows[0]?.id, rowsAtMost: mostOfPlace * scansByValue.length };
}

function hourOf({ hour, reason, count }: HourCount) {
  return { hour: hour.toISOString(), outcome: outcomeOf(reason), reason, count };
}

interface TopFailures {
  readonly users: { readonly username: string; readonly count: number }[];
  readonly addresses: { readonly ip: string; readonly count: number }[];
}

/** The names and addresses with the most of the search's newest failures. */
export async function findTopFailures(store: Store, search: Search) {
  return await withIndexScans(store, async (transaction) => {
    const newest = await findNewest(transaction, search, { reasons: failures, count: mostFailures });
    const { rows } = await sql<TopFailures>`
      with walked as materialized (${newest.scan}),
      failures as materialized (select username, ip from walked where ${isAnyOf(failures)} and ${isInScope(search)}),
      users as (
        select username, count(*) as count from failures where username is not null
        group by username order by count desc, username limit ${topLength}),
      addresses as (
        select host(ip) as ip, count(*) as count from failures where ip is not null
        group by failures.ip order by count desc, failures.ip limit ${topLength})
      select coalesce((select json_agg(users) from users), '[]') as users,
        coalesce((select json_agg(addresses) from addresses), '[]') as addresses`.execute(transaction);
    return { complete: newest.complete, users: [], addresses: [], ...rows[0] };
  });
}

const failures: AnyOf = { column: 'reason', values: failureReasons };
const columns = sql`id, at, username, user_id, reason, ip`;

interface Newest {
  readonly scan: RawBuilder<unknown>;
  readonly complete: boolean;
}

/**
 * Walks the records of the users when the search names few, else those of the given reasons, else all. Finds how far back first.
 */
async function findNewest(
  store: Store,
  search: Search,
  { reasons, count }: { reasons?: AnyOf; count: number },
): Promise<Newest> {
  const driver = search.conditions.find(({ column }) => column === 'user_id') ?? reasons;
  const scan = driver === undefined ? scanIds : scanAnyOf(driver);
  const { rows } = await sql<{ id: string }>`
    select id from (${scan(search, count, sql`id`)}) as walked order by id desc limit 1 offset ${count - 1}`.execute(
    store,
  );
  const lower = rows[0]?.id ?? search.lower;
  return { scan: scan({ ...search, lower }, count, columns), complete: rows.length === 0 };
}
