// Fills the login log with SQL, evenly over spans of time: first the tables of the months without indexes, then their
// indexes, then it attaches the months as partitions.
import pg from 'pg';
import {
  addressCount,
  agents,
  countries,
  firstSpreadAddress,
  officeAddressCount,
  reasons,
  spreadAddresses,
  spreadFactor,
  unknownNameCount,
  unknownNames,
  userCount,
  type Weighted,
} from './population.ts';

export interface Filling {
  readonly rows: number;
  readonly from: Date;
  readonly to: Date;
}

export interface FillTimes {
  readonly insertSeconds: number;
  readonly indexSeconds: number;
}

interface Month {
  readonly table: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
}

const rowsAStatement = 250_000;
const connections = 2;

/** Two fillings must not share a month. */
export async function fillLoginLog(url: string, fillings: readonly Filling[]): Promise<FillTimes> {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    options: '-c maintenance_work_mem=1GB -c synchronous_commit=off -c timezone=UTC',
  });
  // A connection that is still closing when the database is dropped reports an error.
  pool.on('error', () => {});
  try {
    const startedAt = performance.now();
    const months = fillings.flatMap(listMonths);
    for (const month of months) await createTable(pool, month);
    for (const filling of fillings) await insertAll(pool, filling);
    const filledAt = performance.now();
    for (const month of months) {
      await buildIndexes(pool, month);
      await attach(pool, month);
    }
    await pool.query('analyze login_log');
    await countByHour(pool);
    const indexSeconds = (performance.now() - filledAt) / 1000;
    return { insertSeconds: (filledAt - startedAt) / 1000, indexSeconds };
  } finally {
    await pool.end();
  }
}

function listMonths({ from, to }: Filling): Month[] {
  const months: Month[] = [];
  for (let startsAt = monthOf(from, 0); startsAt < to; startsAt = monthOf(startsAt, 1)) {
    const table = `login_log_${startsAt.toISOString().slice(0, 7).replace('-', '_')}`;
    months.push({ table, startsAt, endsAt: monthOf(startsAt, 1) });
  }
  return months;
}

function monthOf(at: Date, monthsAhead: number): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + monthsAhead));
}

async function createTable(pool: pg.Pool, { table }: Month): Promise<void> {
  await pool.query(`drop table if exists ${table}`);
  await pool.query(`create table ${table} (like login_log including defaults including constraints)`);
}

/**
 * Builds indexes about as full as those that grow row by row: in a full index, the first inserts would split all pages.
 */
async function buildIndexes(pool: pg.Pool, { table }: Month): Promise<void> {
  const { rows } = await pool.query<{ indexdef: string }>(
    `select indexdef from pg_indexes where tablename = 'login_log' and indexdef not like 'CREATE UNIQUE%'`,
  );
  const build = ({ indexdef }: { indexdef: string }) => {
    const [indexed = '', condition] = indexdef.split(' WHERE ');
    const index = indexed.replace(/INDEX \S+ ON ONLY \S+/, `INDEX ON ${table}`);
    return pool.query(`${index} with (fillfactor = 70) where ${condition ?? 'true'}`);
  };
  await Promise.all(rows.map(build));
}

async function attach(pool: pg.Pool, { table, startsAt, endsAt }: Month): Promise<void> {
  const { rows } = await pool.query<{ first: string; next: string }>(
    'select uuid_v7_bound($1) as first, uuid_v7_bound($2) as next',
    [startsAt, endsAt],
  );
  const [bounds] = rows;
  await pool.query(
    `alter table login_log attach partition ${table} for values from ('${bounds?.first}') to ('${bounds?.next}')`,
  );
}

/** Inserts statement by statement in the order of time, on all connections. */
async function insertAll(pool: pg.Pool, filling: Filling): Promise<void> {
  const { rows, from, to } = filling;
  const indexAt = (at: Date) =>
    Math.round((rows * (at.getTime() - from.getTime())) / (to.getTime() - from.getTime()));
  const statements = listMonths(filling).flatMap(({ table, startsAt, endsAt }) => {
    // One more row at both ends: the time of a row decides whether it is in the month.
    const [first, end] = [Math.max(0, indexAt(startsAt) - 1), Math.min(rows, indexAt(endsAt) + 1)];
    return Array.from({ length: Math.ceil((end - first) / rowsAStatement) }, (_, n) => {
      const begin = first + n * rowsAStatement;
      const last = Math.min(begin + rowsAStatement, end) - 1;
      return { table, values: [begin, last, rows, from, to, startsAt, endsAt] };
    });
  });
  const work = async () => {
    for (let one = statements.shift(); one !== undefined; one = statements.shift())
      await pool.query(insertStatement(one.table), one.values);
  };
  await Promise.all(Array.from({ length: connections }, work));
}

function insertStatement(table: string): string {
  const millisecond = `extract(epoch from at) * 1000`;
  const hasIdentity = `reason in ('ok', 'logout')`;
  return `
    insert into ${table} (id, at, username, user_id, role_key, outcome, reason, ip, user_agent, browser, os, platform,
      location, request_id, jti, instance, chain, seq, hash)
    select
      (lpad(to_hex((${millisecond})::bigint), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid,
      at,
      case when ${hasIdentity} or point >= ${unknownNames / 100_000} then 'user-' || person
        else 'guess-' || floor(random() ^ 2 * ${unknownNameCount}) end,
      case when ${hasIdentity} then person + 1 end,
      case when ${hasIdentity} then 'clerk' end,
      case when ${hasIdentity} then 'success' else 'failure' end,
      reason,
      case when address < ${officeAddressCount} then inet '10.20.0.0' + address
        else inet '0.0.0.0' + (${firstSpreadAddress} + address * ${spreadFactor} % 4294967296 % ${spreadAddresses}) end,
      ${pickFrom(agents, ({ userAgent }) => userAgent, 'client')},
      ${pickFrom(agents, ({ browser }) => browser, 'client')},
      ${pickFrom(agents, ({ os }) => os, 'client')},
      ${pickFrom(agents, ({ platform }) => platform, 'client')},
      ${pickFrom(countries, (country) => country, 'address * 7919 % 100000')},
      overlay(text placing '7' from 15 for 1),
      case when ${hasIdentity} then substr(translate(text, '-', ''), 1, 22) end,
      uuid '00000000-0000-4000-8000-000000000001',
      uuid '00000000-0000-7000-8000-000000000001',
      n + 1,
      sha256(int8send(n))
    from (
      select n, date_trunc('milliseconds', $4::timestamptz + ($5::timestamptz - $4::timestamptz) * (n::float8 / $3::float8)) as at,
        gen_random_uuid()::text as text, random() as point, floor(random() ^ 2 * ${userCount})::bigint as person,
        floor(random() ^ 2 * ${addressCount})::bigint as address, random() * 100000 as client,
        ${pickFrom(reasons, (reason) => reason, 'random() * 100000')} as reason
      from generate_series($1::bigint, $2::bigint) as n
    ) as drawn
    where at >= $6 and at < $7`;
}

/** The choice whose share of 100,000 contains the point. */
function pickFrom<Value>(
  choices: readonly Weighted<Value>[],
  textOf: (value: Value) => string,
  point: string,
): string {
  const texts = choices.map(({ value }) => `'${textOf(value)}'`);
  const starts = choices.map((_, index) =>
    choices.slice(0, index).reduce((sum, { weight }) => sum + weight, 0),
  );
  return `(array[${texts}])[width_bucket((${point})::float8, array[${starts}]::float8[])]`;
}

async function countByHour(pool: pg.Pool): Promise<void> {
  await pool.query(
    `insert into login_log_counts (hour, reason, shard, n)
     select date_trunc('hour', at), reason, seq % 8, count(*) from login_log group by 1, 2, 3`,
  );
  await pool.query('analyze login_log_counts');
}
