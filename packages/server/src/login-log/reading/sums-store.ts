// SQL of the sums over the login log. Whoever may see all of it has the counts that are kept with the records; for
// anybody else the newest records are counted.
import type { LoginReason } from '@portcullis/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../../store/store.ts';
import { isInScope } from './page-store.ts';
import { type AnyOf, failureReasons, outcomeOf, type Search } from './search.ts';
import { isAnyOf, walkAnyOf, walkIds, withWalks } from './walk-store.ts';

/** How many records a sum looks at. */
const mostRecords = 50_000;
const mostFailures = 100_000;
const topLength = 10;

interface HourCount {
  readonly hour: Date;
  readonly reason: LoginReason;
  readonly count: number;
}

/** The range is one of whole hours. */
export async function countKeptByHour(store: Store, from: number, to: number) {
  const { rows } = await sql<HourCount>`
    select hour, reason, sum(n)::bigint as count from login_log_counts
    where hour >= ${new Date(from)} and hour < ${new Date(to)}
    group by hour, reason order by hour, reason`.execute(store);
  return { complete: true, hours: rows.map(hourOf) };
}

/** The newest records of the search, counted. */
export async function countByHour(store: Store, search: Search) {
  return await withWalks(store, async (transaction) => {
    const newest = await findNewest(transaction, search, { count: mostRecords });
    const { rows } = await sql<HourCount>`
      with walked as materialized (${newest.walk})
      select date_bin('1 hour', at, timestamptz 'epoch') as hour, reason, count(*) as count
      from walked where ${isInScope(search)} group by 1, reason order by 1, reason`.execute(transaction);
    return { complete: newest.complete, hours: rows.map(hourOf) };
  });
}

function hourOf({ hour, reason, count }: HourCount) {
  return { hour: hour.toISOString(), outcome: outcomeOf(reason), reason, count };
}

interface TopFailures {
  readonly users: { readonly username: string; readonly count: number }[];
  readonly addresses: { readonly ip: string; readonly count: number }[];
}

/** The names and addresses that the newest failures of the search have most often. */
export async function findTopFailures(store: Store, search: Search) {
  return await withWalks(store, async (transaction) => {
    const newest = await findNewest(transaction, search, { reasons: failures, count: mostFailures });
    const { rows } = await sql<TopFailures>`
      with walked as materialized (${newest.walk}),
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
  readonly walk: RawBuilder<unknown>;
  readonly complete: boolean;
}

/** Of the users where they are few, else of the given reasons, else of all. First how far back, then what is there. */
async function findNewest(
  store: Store,
  search: Search,
  { reasons, count }: { reasons?: AnyOf; count: number },
): Promise<Newest> {
  const driver = search.conditions.find(({ column }) => column === 'user_id') ?? reasons;
  const walk = driver === undefined ? walkIds : walkAnyOf(driver);
  const { rows } = await sql<{ id: string }>`
    select id from (${walk(search, count, sql`id`)}) as walked order by id desc limit 1 offset ${count - 1}`.execute(
    store,
  );
  const lower = rows[0]?.id ?? search.lower;
  return { walk: walk({ ...search, lower }, count, columns), complete: rows.length === 0 };
}
