// What a backlog costs: a service starts on a spool that another one left behind while its database was away, and drains
// it while users log in; against the same logins without a backlog.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createDatabase, type Database } from '../test/rig/create-database.ts';
import { createHttpClient } from '../test/rig/http-client.ts';
import { type Server, startServer } from '../test/rig/start-server.ts';
import { type Bar, type Bench, type BenchResult, median, printLine } from './bench.ts';
import { leaveBehind } from './log/backlog.ts';
import { leastCost, logIn, seedUsers, settingsFor, usernameOf } from './log/logins.ts';

const loginsPerSecond = 50;
/** Until a fresh process has compiled what logins need. */
const warmUpSeconds = 3;

interface Measured {
  readonly records: number;
  /** Records a second beside the logins, and when nobody logs in any more. */
  readonly rateBeside: number;
  readonly rateAlone: number;
  readonly megabytes: number;
  readonly p99Without: number;
  readonly p99With: number;
}

export const benchDrain: Bench = {
  async run({ quick }) {
    const runs: Measured[] = [];
    for (let run = 1; run <= (quick ? 1 : 5); run += 1) {
      const measured = await measureAnew(quick ? 20_000 : 1_000_000, quick ? 5 : 40);
      runs.push(measured);
      printLine({ bench: 'drain', run, ...measured });
    }
    return report(runs, quick);
  },
};

async function measureAnew(records: number, seconds: number): Promise<Measured> {
  const database = await createDatabase({ migrated: true });
  try {
    await seedUsers(database, leastCost);
    return await measure(database, records, seconds);
  } finally {
    await database.drop();
  }
}

async function measure(database: Database, records: number, seconds: number): Promise<Measured> {
  await settleDisk(database);
  const calm = await startServer({ databaseUrl: database.url, settings: settingsFor(leastCost) });
  const without = await loadUntil(calm, sleep((warmUpSeconds + seconds) * 1000));
  await calm.stop();
  await database.query('truncate login_log');
  const { folder, bytes } = await leaveBehind(database, records);
  await settleDisk(database);
  printLine({ bench: 'drain', records, bytesARecord: Math.round(bytes / records) });
  const server = await startServer({ databaseUrl: database.url, settings: settingsFor(leastCost) });
  const startedAt = performance.now();
  const drained = waitUntilGone(folder).then(() => performance.now());
  // As long as the calm one, or until it is drained.
  const busy = await loadUntil(server, Promise.race([sleep((warmUpSeconds + seconds) * 1000), drained]));
  const loadedAt = performance.now();
  const beside = (await countRows(database)) - busy.logins;
  const left = records - beside;
  const drainedAt = await drained;
  const megabytes = readPeakMegabytes(server.process.pid);
  await server.stop();
  await expectRows(database, records + busy.logins);
  return {
    records,
    rateBeside: (beside * 1000) / (loadedAt - startedAt),
    rateAlone: left > 0 ? (left * 1000) / (drainedAt - loadedAt) : Number.NaN,
    megabytes,
    p99Without: percentile(without.milliseconds, 0.99),
    p99With: percentile(busy.milliseconds, 0.99),
  };
}

/** A service syncs what it leaves behind record by record. The rig wrote and dropped it at once: the disk would still be at it. */
async function settleDisk(database: Database): Promise<void> {
  await promisify(execFile)('sync');
  await database.query('checkpoint');
}

interface Load {
  readonly logins: number;
  /** Without those of the warm-up. */
  readonly milliseconds: readonly number[];
}

/** A login every so often, however long the ones before it take. Before that one at a time: a cold process is slow. */
async function loadUntil(server: Server, end: Promise<unknown>): Promise<Load> {
  const client = createHttpClient(server.port, { remembers: false, resends: true });
  let isOver = false;
  const ended = end.finally(() => {
    isOver = true;
  });
  const warmUp: number[] = [];
  for (const coldAt = performance.now(); !isOver && performance.now() - coldAt < warmUpSeconds * 1000; )
    warmUp.push(await logIn(client, usernameOf(warmUp.length)));
  const startedAt = performance.now();
  const logins: Promise<number>[] = [];
  while (!isOver) {
    logins.push(logIn(client, usernameOf(logins.length)));
    await sleep(Math.max(0, (logins.length * 1000) / loginsPerSecond - (performance.now() - startedAt)));
  }
  await ended;
  const milliseconds = await Promise.all(logins);
  client.close();
  return {
    logins: warmUp.length + milliseconds.length,
    milliseconds: milliseconds.length > 0 ? milliseconds : warmUp,
  };
}

/** A drained folder is deleted. */
async function waitUntilGone(folder: string): Promise<void> {
  while (existsSync(folder)) await sleep(20);
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

function report(runs: readonly Measured[], quick: boolean): BenchResult {
  const slowdowns = runs.map(({ p99With, p99Without }) => p99With / p99Without);
  const bars: Bar[] = [
    {
      what: 'Peak memory of the service',
      value: Math.max(...runs.map(({ megabytes }) => megabytes)),
      limit: 300,
      unit: 'MB',
      better: 'lower',
    },
  ];
  // A short drain has too few logins for a percentile, and is over before they end.
  if (!quick)
    bars.push(
      {
        what: 'p99 of a login beside a backlog against the same load without one, worst run',
        value: Math.max(...slowdowns),
        limit: 1.5,
        unit: 'x',
        better: 'lower',
      },
      {
        what: 'Records a second where nobody logs in',
        value: median(runs.map(({ rateAlone }) => rateAlone)),
        limit: 1_000_000 / 60,
        unit: '',
        better: 'higher',
      },
    );
  const rows = runs.map((run, index) => {
    const rates = [run.rateBeside, run.rateAlone].map((rate) => Math.round(rate).toLocaleString('en'));
    return `| ${run.p99Without.toFixed(0)} ms | ${run.p99With.toFixed(0)} ms | ${slowdowns[index]?.toFixed(2)} | ${rates.join(' | ')} | ${Math.round(run.megabytes)} MB |`;
  });
  return {
    tables: [
      '## A backlog',
      '',
      `A service starts on ${runs[0]?.records.toLocaleString('en')} records that another one left in its spool, while ${loginsPerSecond} users a second log in (the cost of their hashes lowered by settings), as long as they did without a backlog; then nobody does. The load, the service and Postgres share the two cores.`,
      '',
      '| Login p99 without | Login p99 beside it | Ratio | Records a second beside logins | Without logins | Peak memory |',
      '|--:|--:|--:|--:|--:|--:|',
      ...rows,
      '',
    ].join('\n'),
    bars,
    charts: {},
  };
}
