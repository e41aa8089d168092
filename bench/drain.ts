// What a backlog costs: a service starts on a spool that another one left behind while its database was away, and drains
// it while users log in; against the same logins without a backlog.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, type Database } from '../test/rig/create-database.ts';
import { createHttpClient } from '../test/rig/http-client.ts';
import { type Server, startServer } from '../test/rig/start-server.ts';
import { type Bar, type Bench, type BenchResult, printLine } from './bench.ts';
import { leaveBehind } from './log/backlog.ts';
import { leastCost, logIn, seedUsers, settingsFor, usernameOf } from './log/logins.ts';

const loginsPerSecond = 50;
/** Until a fresh process has compiled what logins need. */
const warmUpSeconds = 3;

interface Measured {
  readonly records: number;
  readonly drainSeconds: number;
  readonly megabytes: number;
  readonly p99Without: number;
  readonly p99With: number;
}

export const benchDrain: Bench = {
  async run({ quick }) {
    const database = await createDatabase({ migrated: true });
    try {
      await seedUsers(database, leastCost);
      const measured = await measure(database, quick ? 20_000 : 1_000_000, quick ? 5 : 40);
      printLine({ bench: 'drain', ...measured });
      return report(measured, quick);
    } finally {
      await database.drop();
    }
  },
};

async function measure(database: Database, records: number, calmSeconds: number): Promise<Measured> {
  const calm = await startServer({ databaseUrl: database.url, settings: settingsFor(leastCost) });
  const without = await loadUntil(calm, sleep((warmUpSeconds + calmSeconds) * 1000));
  await calm.stop();
  await database.query('truncate login_log');
  const { folder, bytes } = await leaveBehind(database, records);
  printLine({ bench: 'drain', records, bytesARecord: Math.round(bytes / records) });
  const server = await startServer({ databaseUrl: database.url, settings: settingsFor(leastCost) });
  const startedAt = performance.now();
  const drained = waitUntilGone(folder).then(() => (performance.now() - startedAt) / 1000);
  const busy = await loadUntil(server, drained);
  const megabytes = readPeakMegabytes(server.process.pid);
  await server.stop();
  await expectRows(database, records + busy.logins);
  return {
    records,
    drainSeconds: await drained,
    megabytes,
    p99Without: percentile(without.milliseconds, 0.99),
    p99With: percentile(busy.milliseconds, 0.99),
  };
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

async function expectRows(database: Database, expected: number): Promise<void> {
  const [row] = await database.query<{ rows: number }>('select count(*)::int as rows from login_log');
  if (row?.rows !== expected) throw new Error(`There are ${row?.rows} records and not ${expected}.`);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function readPeakMegabytes(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

function report(
  { records, drainSeconds, megabytes, p99Without, p99With }: Measured,
  quick: boolean,
): BenchResult {
  const rate = records / drainSeconds;
  const bars: Bar[] = [
    { what: 'Records a second', value: rate, limit: 1_000_000 / 60, unit: '', better: 'higher' },
    { what: 'Peak memory of the service', value: megabytes, limit: 300, unit: 'MB', better: 'lower' },
  ];
  // A short drain has too few logins for a percentile.
  if (!quick)
    bars.push({
      what: 'p99 of a login against the same load without a drain',
      value: p99With / p99Without,
      limit: 1.2,
      unit: 'x',
      better: 'lower',
    });
  return {
    tables: [
      '## A backlog',
      '',
      `A service starts on ${records.toLocaleString('en')} records that another one left in its spool, while ${loginsPerSecond} users a second log in (the cost of their hashes lowered by settings). The load, the service and Postgres share the two cores.`,
      '',
      '| Drained in | Records a second | Peak memory | Login p99 without | Login p99 meanwhile |',
      '|--:|--:|--:|--:|--:|',
      `| ${drainSeconds.toFixed(1)} s | ${Math.round(rate).toLocaleString('en')} | ${Math.round(megabytes)} MB | ${p99Without.toFixed(0)} ms | ${p99With.toFixed(0)} ms |`,
      '',
    ].join('\n'),
    bars,
    charts: {},
  };
}
