// SQL that reads pages of the login log, newest first. A page scans one index from the end of the previous page, and filters each
// row. When too few rows match, the scan stops after a time limit and the page is short.
import type { LoginLogItem } from '@portcullis/contract';
import { type RawBuilder, sql } from 'kysely';
import { Type } from 'typebox';
import { createCursor } from '../../../cluster/store/cursor.ts';
import type { Page } from '../../../cluster/store/page.ts';
import type { Store } from '../../../cluster/store/store.ts';
import { type LoginRow, recordColumns } from '../login-row.ts';
import { type IndexScan, isAnyOf, scanAnyOf, scanIds, withIndexScans } from './index-scan-store.ts';
import { mostValues } from './scope-store.ts';
import type { AnyOf, IdRange, Search } from './search.ts';

interface PageOptions {
  readonly after: string | undefined;
  readonly limit: number;
  readonly monotonic: () => number;
}

/** No further rows are read after this time. */
const scanMilliseconds = 40;
const firstStep = 500;
/** Of all values together. */
const longestStep = 4000;
/** A condition is rare when its match of this number is far back. */
const probeDepth = 200;
/** A network with fewer records than this is read whole. */
const fewRecords = 2000;

export const cursor = createCursor(
  Type.Object({ id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }) }),
);

export async function readPage(
  store: Store,
  search: Search,
  { after, limit, monotonic }: PageOptions,
): Promise<Page<LoginLogItem>> {
  const startedAt = monotonic();
  const place = cursor.read(after)?.id;
  const range = {
    lower: search.lower,
    upper: place === undefined || place > search.upper ? search.upper : place,
  };
  return await withIndexScans(store, async (transaction) => {
    const plan = await planScan(transaction, search, range);
    if (plan === undefined) return pageOf([], undefined);
    const rows: Row[] = [];
    for (let step = plan.filters.length === 0 ? limit + 1 : firstStep; ; step = longerStep(step, plan)) {
      const scanned = await takeStep(transaction, plan, { range, step, wanted: limit + 1 - rows.length });
      rows.push(...scanned.rows);
      if (rows.length > limit) return pageOf(rows.slice(0, limit), rows[limit - 1]?.id);
      if (scanned.reached === undefined) return pageOf(rows, undefined);
      if (monotonic() - startedAt > scanMilliseconds) return pageOf(rows, scanned.reached);
      range.upper = scanned.reached;
    }
  });
}

function longerStep(step: number, { scansByValue }: ScanPlan): number {
  return Math.min(step * 2, Math.ceil(longestStep / scansByValue.length));
}

function pageOf(rows: readonly Row[], last: string | undefined): Page<LoginLogItem> {
  return { items: rows.map(itemOf), next: last === undefined ? null : cursor.write({ id: last }) };
}

/** The plan of a search: the index scan, and the filters for its rows. */
export interface ScanPlan {
  readonly scan: IndexScan;
  readonly filters: readonly RawBuilder<unknown>[];
  /** The scans that make up the scan, one for each value of its condition. */
  readonly scansByValue: readonly IndexScan[];
}

/** Undefined when no row can match. */
export async function planScan(store: Store, search: Search, range: IdRange): Promise<ScanPlan | undefined> {
  const { conditions, network, departments } = search;
  if (conditions.some(({ values }) => values.length === 0)) return undefined;
  const others = [
    ...(network === undefined ? [] : [sql`ip <<= ${network}::inet`]),
    ...(departments === undefined ? [] : [isInScope(search)]),
  ];
  const filters = (driver: AnyOf | undefined) => [
    ...conditions.filter((condition) => condition !== driver).map(isAnyOf),
    ...others,
  ];
  const near = network === undefined ? undefined : await findInNetwork(store, network, range);
  if (near !== undefined && 'ids' in near) return alone(scanGiven(near.ids), filters(undefined));
  const drivers = near === undefined ? conditions : [...conditions, near];
  const driver = await findRarest(store, drivers, range);
  if (driver === undefined) return alone(scanIds, filters(undefined));
  const { column, values } = driver;
  const scansByValue = values.map((value) => scanAnyOf({ column, values: [value] }));
  return { scan: scanAnyOf(driver), filters: filters(driver), scansByValue };
}

const alone = (scan: IndexScan, filters: ScanPlan['filters']): ScanPlan => ({
  scan,
  filters,
  scansByValue: [scan],
});

/**
 * Whether a row of `walked` belongs to the search's departments. It is a scalar subquery and not a join, so that it is evaluated
 * row by row, however many users there are.
 */
export function isInScope({ departments }: Search): RawBuilder<unknown> {
  if (departments === undefined) return sql`true`;
  return sql`(select department_id from users where users.id = walked.user_id) = any(${departments}::bigint[])`;
}

const scanGiven =
  (ids: readonly string[]): IndexScan =>
  ({ upper }, count, columns) => {
    const given = ids.filter((id) => id < upper).slice(0, count);
    return sql`select ${columns} from login_log where id = any(${given}::uuid[])`;
  };

/** The condition to scan along: the one whose matches reach furthest back. */
async function findRarest(
  store: Store,
  drivers: readonly AnyOf[],
  range: IdRange,
): Promise<AnyOf | undefined> {
  const short = drivers.filter(({ values }) => values.length <= mostValues);
  if (short.length < 2) return short[0];
  const probes = short.map(
    (driver) => sql`(select id from (${scanAnyOf(driver)(range, probeDepth, sql`id`)}) as probed
      order by id desc limit 1 offset ${probeDepth - 1})`,
  );
  const { rows } = await sql<{ ids: (string | null)[] }>`
    select array[${sql.join(probes.map((probe) => sql`(${probe})`))}]::text[] as ids`.execute(store);
  const reached = rows[0]?.ids ?? [];
  const ranked = short.map((driver, index) => ({ driver, id: reached[index] ?? '' }));
  return ranked.sort((one, other) => (one.id < other.id ? -1 : Number(one.id > other.id)))[0]?.driver;
}

/** All records of a network when they are few; else its addresses when those are few; else neither. */
async function findInNetwork(
  store: Store,
  network: string,
  range: IdRange,
): Promise<{ ids: string[] } | AnyOf | undefined> {
  const first = sql`network(${network}::inet)::inet`;
  const last = sql`set_masklen(broadcast(${network}::inet), ${network.includes(':') ? 128 : 32})`;
  const { rows } = await sql<{ id: string }>`
    select id from login_log
    where ip >= ${first} and ip <= ${last} and id < ${range.upper}::uuid and id >= ${range.lower}::uuid
    order by ip, id limit ${fewRecords}`.execute(store);
  if (rows.length < fewRecords)
    return {
      ids: rows
        .map(({ id }) => id)
        .sort()
        .reverse(),
    };
  // Loose index scan: from one address to the next, past all records of each.
  const addresses = await sql<{ ip: string }>`
    with recursive addresses (ip, n) as (
      (select ip, 1 from login_log where ip >= ${first} and ip <= ${last} order by ip limit 1)
      union all
      select (select ip from login_log where ip > addresses.ip and ip <= ${last} order by ip limit 1), n + 1
      from addresses where addresses.ip is not null and n <= ${mostValues}
    ) select host(ip) as ip from addresses where ip is not null`.execute(store);
  const values = addresses.rows.map(({ ip }) => ip);
  return values.length > mostValues ? undefined : { column: 'ip', values };
}

const columns = sql.join(recordColumns.map((column) => sql.ref(column)));

type Row = Omit<LoginRow, 'at' | 'outcome' | 'reason' | 'method'> & {
  readonly at: Date;
  readonly outcome: LoginLogItem['outcome'];
  readonly reason: LoginLogItem['reason'];
  readonly method: LoginLogItem['method'];
};

interface Step {
  readonly range: IdRange;
  readonly step: number;
  readonly wanted: number;
}

/** One step of the scan; `reached` is undefined at its end. */
async function takeStep(store: Store, { scan, filters }: ScanPlan, { range, step, wanted }: Step) {
  const fitting = filters.length === 0 ? sql`true` : sql.join(filters, sql` and `);
  const found = await sql<Row & { walked: number; reached: string | null; id: string | null }>`
    with walked as materialized (${scan(range, step, columns)})
    select (select count(*) from walked) as walked, (select id from walked order by id limit 1) as reached, fitting.*
    from (values (1)) as one (one) left join lateral (
      select * from walked where ${fitting} order by id desc limit ${wanted}
    ) as fitting on true order by fitting.id desc`.execute(store);
  const [head] = found.rows;
  const reached = head === undefined || head.walked < step ? undefined : (head.reached ?? undefined);
  return { rows: found.rows.filter((row) => row.id !== null) as Row[], reached };
}

function itemOf(row: Row): LoginLogItem {
  return {
    id: row.id,
    at: row.at.toISOString(),
    username: row.username,
    userId: row.user_id,
    roleKey: row.role_key,
    outcome: row.outcome,
    reason: row.reason,
    ip: row.ip,
    userAgent: row.user_agent,
    browser: row.browser,
    os: row.os,
    platform: row.platform,
    location: row.location,
    requestId: row.request_id,
    jti: row.jti,
    instance: row.instance,
    method: row.method ?? null,
    credentialId: row.credential_id ?? null,
    provider: row.provider ?? null,
  };
}
