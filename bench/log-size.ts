// Benchmark of a large login log: the first page of every search, the counts of 30 days, and the insert rate, with the
// number of rows given by `--rows`.

import { openStore } from '../packages/server/src/cluster/store/store.ts';
import { insertLoginRows } from '../packages/server/src/logs/login-log/login-log-store.ts';
import { createDatabase, type Database } from '../test/rig/create-database.ts';
import { createHttpClient, type HttpClient } from '../test/rig/http-client.ts';
import { type PostgresServer, startPostgresServer } from '../test/rig/postgres-server.ts';
import { startServer } from '../test/rig/start-server.ts';
import { type Bench, type BenchResult, median, printLine } from './bench.ts';
import { chainedRows, createBenchChain, createRowMaker } from './log/chained-rows.ts';
import { type FillTimes, fillLoginLog } from './log/fill.ts';
import { administrator, leastCost, seedUsers, settingsFor, tokenOf, usernameOf } from './log/logins.ts';
import { listSearches } from './log/searches.ts';

/**
 * Postgres settings for a log of this size: memory for the index pages that inserts write to, and checkpoints so rare
 * that full-page writes do not log these pages again and again.
 */
const largeSettings = {
  shared_buffers: '2GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '30min',
  wal_compression: 'on',
};
const spanMilliseconds = 30 * 86_400_000;
const warmTurns = 5;
const pageLimit = 50;
const rowsABatch = 1000;
const batchesATurn = 10;

interface Timed {
  readonly name: string;
  readonly firstMilliseconds: number;
  readonly warmMilliseconds: number;
  readonly items: number;
  /** Whether the page ended before it was full, with a position from which to continue. */
  readonly isShort: boolean;
}

interface Measured {
  readonly rows: number;
  readonly times: FillTimes;
  readonly bytes: number;
  readonly pages: readonly Timed[];
  readonly counts: readonly Timed[];
  readonly inserts: readonly InsertRound[];
}

export const benchLogSize: Bench = {
  async run({ quick, rows = quick ? 20_000 : 20_000_000 }) {
    const server = await startPostgresServer({ settings: largeSettings });
    const [full, empty] = [await create(server), await create(server)];
    try {
      await seedUsers(full, leastCost);
      const now = Date.now();
      const times = await fill(full, rows, now);
      const bytes = await readBytes(full);
      printLine({ bench: 'log-size', rows, ...times, bytesARow: Math.round(bytes / rows) });
      const reads = await readAll(full, now);
      const inserts = await measureInserts(
        empty,
        full,
        quick ? { warmUpRounds: 1, rounds: 3 } : { warmUpRounds: 10, rounds: 30 },
      );
      return report({ rows, times, bytes, ...reads, inserts });
    } finally {
      await full.drop();
      await empty.drop();
      await server.remove();
    }
  },
};

const create = (server: PostgresServer) => createDatabase({ migrated: true, server: server.url() });

/** Fills the last 30 days, half of them in the current month. */
async function fill(database: Database, rows: number, now: number): Promise<FillTimes> {
  const today = new Date(now);
  const monthStart = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth()));
  return await fillLoginLog(database.url, [
    {
      rows: rows / 2,
      from: new Date(Math.min(now - spanMilliseconds, monthStart.getTime() - 1)),
      to: monthStart,
    },
    { rows: rows / 2, from: monthStart, to: today },
  ]);
}

async function readBytes(database: Database): Promise<number> {
  const [row] = await database.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(inhrelid))::float8 as bytes from pg_inherits where inhparent = 'login_log'::regclass`,
  );
  return row?.bytes ?? Number.NaN;
}

async function readAll(database: Database, now: number): Promise<Pick<Measured, 'pages' | 'counts'>> {
  const server = await startServer({ databaseUrl: database.url, settings: settingsFor(leastCost) });
  const client = createHttpClient(server.port, { remembers: false });
  try {
    const [all, own] = [await tokenOf(client, administrator), await tokenOf(client, usernameOf(0))];
    const timeAs = (token: string) => (name: string, path: string) =>
      timeReads(client, { token, name, path });
    const time = timeAs(all);
    // The first request of a process compiles the code that all requests use.
    await time('warm-up', '/api/v1/login-logs?limit=1');
    const pages: Timed[] = [];
    for (const { name, query } of listSearches(now))
      pages.push(
        await time(name, `/api/v1/login-logs?${new URLSearchParams({ limit: String(pageLimit), ...query })}`),
      );
    pages.push(await timeAs(own)('no filter, a department', `/api/v1/login-logs?limit=${pageLimit}`));
    const range = new URLSearchParams({
      from: new Date(now - spanMilliseconds).toISOString(),
      to: new Date(now).toISOString(),
    });
    const counts = [
      await time('counts by hour', `/api/v1/login-logs/counts?${range}`),
      await time('counts by hour, failure', `/api/v1/login-logs/counts?${range}&outcome=failure`),
      await time('counts by hour, browser Chrome', `/api/v1/login-logs/counts?${range}&browser=Chrome`),
      await time('counts by hour, ip 10.0.0.0/8', `/api/v1/login-logs/counts?${range}&ip=10.0.0.0/8`),
      await time('top failures', `/api/v1/login-logs/top?${range}`),
    ];
    return { pages, counts };
  } finally {
    client.close();
    await server.stop();
  }
}

interface Read {
  readonly token: string;
  readonly name: string;
  readonly path: string;
}

async function timeReads(client: HttpClient, { token, name, path }: Read): Promise<Timed> {
  const times: number[] = [];
  let items = 0;
  let isShort = false;
  for (let turn = 0; turn <= warmTurns; turn += 1) {
    const startedAt = performance.now();
    const { body, text } = await client.send({ path, headers: { authorization: `Bearer ${token}` } });
    times.push(performance.now() - startedAt);
    if (body.code !== 200) throw new Error(`${path}: ${text}`);
    const data = body.data as {
      items?: unknown[];
      next?: string | null;
      hours?: unknown[];
      users?: unknown[];
    };
    items = (data.items ?? data.hours ?? data.users ?? []).length;
    isShort = typeof data.next === 'string' && items < pageLimit;
  }
  const [firstMilliseconds = Number.NaN, ...warm] = times;
  const timed = { name, firstMilliseconds, warmMilliseconds: median(warm), items, isShort };
  printLine({ bench: 'log-size', ...timed });
  return timed;
}

interface InsertRound {
  readonly emptyRowsPerSecond: number;
  readonly fullRowsPerSecond: number;
}

/**
 * Inserts into an empty month and into a full month, in interleaved rounds. A warm-up runs until the pages that inserts
 * write to are in memory and were logged in full after the last checkpoint.
 */
async function measureInserts(
  empty: Database,
  full: Database,
  { warmUpRounds, rounds }: { warmUpRounds: number; rounds: number },
): Promise<InsertRound[]> {
  const [intoEmpty, intoFull] = [await createInserter(empty), await createInserter(full)];
  try {
    const measured: InsertRound[] = [];
    for (let round = 1 - warmUpRounds; round <= rounds; round += 1) {
      const one = { emptyRowsPerSecond: await intoEmpty.run(), fullRowsPerSecond: await intoFull.run() };
      if (round < 1) continue;
      measured.push(one);
      printLine({ bench: 'log-size', round, ...one });
    }
    return measured;
  } finally {
    await intoEmpty.close();
    await intoFull.close();
  }
}

async function createInserter({ url }: Database) {
  const store = openStore({ url, poolSize: 1, onConnectionLost: () => {} });
  const makeRow = await createRowMaker();
  const chain = createBenchChain();
  return {
    /** Rows per second. */
    async run(): Promise<number> {
      const batches = Array.from({ length: batchesATurn }, () =>
        chainedRows(makeRow, chain, rowsABatch).map((row) => JSON.stringify(row)),
      );
      const startedAt = performance.now();
      for (const texts of batches) await insertLoginRows(store, texts);
      return (batchesATurn * rowsABatch * 1000) / (performance.now() - startedAt);
    },
    close: () => store.destroy(),
  };
}

function report({ rows, times, bytes, pages, counts, inserts }: Measured): BenchResult {
  const slowest = (timed: readonly Timed[]) =>
    Math.max(...timed.map(({ warmMilliseconds }) => warmMilliseconds));
  const [hours] = counts;
  const text = (value: number) => Math.round(value).toLocaleString('en');
  const line = ({ name, firstMilliseconds, warmMilliseconds, items, isShort }: Timed) =>
    `| ${name} | ${firstMilliseconds.toFixed(1)} | ${warmMilliseconds.toFixed(1)} | ${items}${isShort ? '+' : ''} |`;
  const kept = rows / 2;
  return {
    tables: [
      '## A large login log',
      '',
      `Postgres with ${Object.entries(largeSettings)
        .map(([name, value]) => `\`${name} = ${value}\``)
        .join(
          ', ',
        )}. ${text(rows)} rows over 30 days, ${text(bytes / rows)} bytes each with all indexes (${text(bytes / 1e9)} GB; made in ${text(times.insertSeconds)} s, indexed in ${text(times.indexSeconds)} s). Each search is a request to the service: first its first one, then the median of ${warmTurns} more. A plus: the page ended early and says where to go on.`,
      '',
      '| First page | First, ms | Again, ms | Rows |',
      '|---|--:|--:|--:|',
      ...pages.map(line),
      ...counts.map(line),
      '',
      `Rows a second into the current month, in batches of ${rowsABatch}, in turns: ${text(median(inserts.map((round) => round.emptyRowsPerSecond)))} where it is empty, ${text(median(inserts.map((round) => round.fullRowsPerSecond)))} where it holds ${text(kept)}.`,
      '',
    ].join('\n'),
    bars: [
      {
        what: 'First page, the slowest search',
        value: slowest(pages),
        limit: 100,
        unit: 'ms',
        better: 'lower',
      },
      {
        what: 'Counts by hour over 30 days',
        value: hours?.warmMilliseconds ?? Number.NaN,
        limit: 500,
        unit: 'ms',
        better: 'lower',
      },
      {
        what: `Inserts into a month with ${text(kept)} rows against an empty one`,
        value: median(inserts.map((round) => round.fullRowsPerSecond / round.emptyRowsPerSecond)),
        limit: 0.8,
        unit: 'x',
        better: 'higher',
      },
    ],
    charts: {},
  };
}
