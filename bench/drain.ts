// Benchmark of draining the login log's backlog: spools that other instances left behind while the database was
// unavailable are drained, with and without concurrent logins. A service looks for abandoned spools once a
// minute. In one process, minutes with a backlog and minutes without one are compared, because the speed of the
// machine changes within minutes.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createDatabase, type Database } from '../test/rig/create-database.ts';
import { createHttpClient } from '../test/rig/http-client.ts';
import { type Server, startServer } from '../test/rig/start-server.ts';
import { type Bar, type Bench, type BenchResult, median, printLine } from './bench.ts';
import { type Backlog, makeBacklog } from './log/backlog.ts';
import { leastCost, logIn, seedUsers, settingsFor, usernameOf } from './log/logins.ts';

const loginsPerSecond = 50;
/** Until a fresh process has compiled the code of a login. */
const warmUpSeconds = 3;

/** The records of one backlog: at a thousand a second, they take most of a minute. */
const portion = 48_000;
/** Backlogs per run: one at a time, with minutes without a backlog in between. */
const portions = 2;
const runs = 5;
const records = { full: 1_000_000, quick: 20_000 } as const;
/** The drain can have begun this long before its first segment is deleted. */
const unknownMilliseconds = 3000;

interface Beside {
  /** Drained records per second, with concurrent logins. */
  readonly rate: number;
  readonly p99Without: number;
  readonly p99With: number;
}

interface Alone {
  readonly records: number;
  readonly rate: number;
  readonly megabytes: number;
}

export const benchDrain: Bench = {
  async run({ quick }) {
    const alone = await inDatabase((database) =>
      measureAlone(database, quick ? records.quick : records.full),
    );
    printLine({ bench: 'drain', ...alone });
    const beside: Beside[] = [];
    // A quick run has too few logins for a percentile.
    for (let run = 1; !quick && run <= runs; run += 1) {
      const measured = await inDatabase(measureBeside);
      beside.push(measured);
      printLine({ bench: 'drain', run, ...measured });
    }
    return report(alone, beside);
  },
};

async function inDatabase<T>(measure: (database: Database) => Promise<T>): Promise<T> {
  const database = await createDatabase({ migrated: true });
  try {
    await seedUsers(database, leastCost);
    return await measure(database);
  } finally {
    await database.drop();
  }
}

/** Measured from the start of a service that finds the backlog. */
async function measureAlone(database: Database, count: number): Promise<Alone> {
  const { folder } = await (await makeBacklog(database, count)).release();
  await settleDisk(database);
  const server = await startServer({ databaseUrl: database.url, settings: settingsFor(leastCost) });
  const startedAt = performance.now();
  await waitUntilGone(folder);
  const rate = (count * 1000) / (performance.now() - startedAt);
  const megabytes = readPeakMegabytes(server.process.pid);
  await server.stop();
  await expectRows(database, count);
  return { records: count, rate, megabytes };
}

async function measureBeside(database: Database): Promise<Beside> {
  const backlogs: Backlog[] = [];
  while (backlogs.length < portions) backlogs.push(await makeBacklog(database, portion));
  await settleDisk(database);
  const server = await startServer({ databaseUrl: database.url, settings: settingsFor(leastCost) });
  const load = await startLoad(server);
  const drains: Drained[] = [];
  for (const backlog of backlogs) drains.push(await drain(backlog));
  const logins = await load.end();
  await server.stop();
  await expectRows(database, portions * portion + load.warmUps + logins.length);
  const without = logins.filter(({ from, to }) =>
    drains.every(({ beganAt, endedAt }) => to < beganAt - unknownMilliseconds || from > endedAt),
  );
  const beside = logins.filter(({ from, to }) =>
    drains.some(({ beganAt, endedAt }) => from >= beganAt && to <= endedAt),
  );
  return {
    rate: median(drains.map(({ rate }) => rate)),
    p99Without: percentile(without.map(millisecondsOf), 0.99),
    p99With: percentile(beside.map(millisecondsOf), 0.99),
  };
}

interface Drained {
  /** The time at which its first segment was stored. */
  readonly beganAt: number;
  readonly endedAt: number;
  readonly rate: number;
}

async function drain(backlog: Backlog): Promise<Drained> {
  const { folder, firstPath } = await backlog.release();
  await waitUntilGone(firstPath);
  const beganAt = performance.now();
  await waitUntilGone(folder);
  const endedAt = performance.now();
  const behindFirst = backlog.records * (1 - 1 / backlog.segments);
  return { beganAt, endedAt, rate: (behindFirst * 1000) / (endedAt - beganAt) };
}

/**
 * Waits until the disk has written everything. A real service syncs its spool record by record; the benchmark writes it
 * at once, and the disk would still be busy.
 */
async function settleDisk(database: Database): Promise<void> {
  await promisify(execFile)('sync');
  await database.query('checkpoint');
}

interface Login {
  readonly from: number;
  readonly to: number;
}

const millisecondsOf = ({ from, to }: Login) => to - from;

interface Load {
  readonly warmUps: number;
  /** All logins after the warm-up. */
  end(): Promise<readonly Login[]>;
}

/**
 * Starts logins at a constant rate, independent of how long the previous ones take. The warm-up runs one login at a
 * time, because a cold process is slow.
 */
async function startLoad(server: Server): Promise<Load> {
  const client = createHttpClient(server.port, { remembers: false, resends: true });
  let warmUps = 0;
  const coldAt = performance.now();
  for (; performance.now() - coldAt < warmUpSeconds * 1000; warmUps += 1)
    await logIn(client, usernameOf(warmUps));
  let isOver = false;
  const logins: Promise<Login>[] = [];
  async function logInTimed(username: string): Promise<Login> {
    const from = performance.now();
    return { from, to: from + (await logIn(client, username)) };
  }
  async function run(): Promise<readonly Login[]> {
    for (const startedAt = performance.now(); !isOver; ) {
      logins.push(logInTimed(usernameOf(logins.length)));
      await sleep(Math.max(0, (logins.length * 1000) / loginsPerSecond - (performance.now() - startedAt)));
    }
    return await Promise.all(logins);
  }
  const running = run();
  return {
    warmUps,
    async end() {
      isOver = true;
      return await running.finally(() => client.close());
    },
  };
}

/** Waits until the file is deleted, which happens when its records are stored. */
async function waitUntilGone(path: string): Promise<void> {
  while (existsSync(path)) await sleep(20);
}

async function countRows(database: Database): Promise<number> {
  const [row] = await database.query<{ rows: number }>('select count(*)::int as rows from login_log');
  return row?.rows ?? 0;
}

async function expectRows(database: Database, expected: number): Promise<void> {
  const rows = await countRows(database);
  if (rows !== expected) throw new Error(`There are ${rows} records and not ${expected}.`);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function readPeakMegabytes(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

function report(alone: Alone, beside: readonly Beside[]): BenchResult {
  const slowdowns = beside.map(({ p99With, p99Without }) => p99With / p99Without);
  const bars: Bar[] = [
    {
      what: 'Peak memory of the service',
      value: alone.megabytes,
      limit: 300,
      unit: 'MB',
      better: 'lower',
    },
  ];
  if (beside.length > 0)
    bars.push(
      {
        what: 'p99 of a login beside a backlog against the same load without one, worst run',
        value: Math.max(...slowdowns),
        limit: 1.5,
        unit: 'x',
        better: 'lower',
      },
      {
        what: 'Records a second without logins',
        value: alone.rate,
        limit: 1_000_000 / 60,
        unit: '',
        better: 'higher',
      },
    );
  const rows = beside.map(
    ({ p99Without, p99With, rate }, index) =>
      `| ${p99Without.toFixed(0)} ms | ${p99With.toFixed(0)} ms | ${slowdowns[index]?.toFixed(2)} | ${rounded(rate)} |`,
  );
  return {
    tables: [
      '## A backlog',
      '',
      `A service starts on ${alone.records.toLocaleString('en')} records that another one left in its spool, without logins: ${rounded(alone.rate)} a second, with ${Math.round(alone.megabytes)} MB at most. Then ${portions} times ${portion.toLocaleString('en')} of them while ${loginsPerSecond} users a second log in (the cost of their hashes lowered by settings), between minutes without a backlog in the same process. The load, the service and Postgres share the two cores.`,
      '',
      '| Login p99 without | Login p99 beside it | Ratio | Records a second beside logins |',
      '|--:|--:|--:|--:|',
      ...rows,
      '',
    ].join('\n'),
    bars,
    charts: {},
  };
}

const rounded = (rate: number) => Math.round(rate).toLocaleString('en');
