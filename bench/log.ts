// Benchmark of the login log: the pipeline from attempts to the table against plain inserts of the same rows, the share
// of the hash chain, and logins with and without the log; in interleaved rounds.
import { createDatabase, type Database } from '../test/rig/create-database.ts';
import { createHttpClient, type HttpClient } from '../test/rig/http-client.ts';
import { type Server, startServer } from '../test/rig/start-server.ts';
import { type Bench, type BenchResult, lowerQuartile, median, printLine } from './bench.ts';
import { createAttempt } from './log/attempts.ts';
import { insertAll } from './log/bare-inserts.ts';
import { chainedRows, createBenchChain, createRowMaker, type MakeRow } from './log/chained-rows.ts';
import { defaultCost, logIn, seedUsers, settingsFor, usernameOf } from './log/logins.ts';
import { recordAll } from './log/pipeline.ts';

const chainTurns = 40;
const rowsATurn = 100;

interface WriteRound {
  readonly recordsPerSecond: number;
  readonly bareRowsPerSecond: number;
  readonly chainMicroseconds: number;
}

export const benchLog: Bench = {
  async run({ quick }) {
    const writes = await measureWrites(
      quick ? { rounds: 5, records: 4000 } : { rounds: 15, records: 20_000 },
    );
    const logins = await measureLogins(quick ? 60 : 400);
    return report(writes, logins);
  },
};

async function measureWrites({
  rounds,
  records,
}: {
  rounds: number;
  records: number;
}): Promise<WriteRound[]> {
  const [logged, bare] = [await createDatabase({ migrated: true }), await createDatabase({ migrated: true })];
  try {
    const makeRow = await createRowMaker();
    const measured: WriteRound[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const one = await takeTurns(logged, bare, makeRow, records);
      if (round === 0) continue;
      measured.push(one);
      printLine({ bench: 'log', round, ...one });
    }
    await expectRows(logged, (rounds + 1) * records);
    return measured;
  } finally {
    await logged.drop();
    await bare.drop();
  }
}

async function takeTurns(
  logged: Database,
  bare: Database,
  makeRow: MakeRow,
  records: number,
): Promise<WriteRound> {
  const attempts = Array.from({ length: records }, createAttempt);
  const recordSeconds = await recordAll(logged.url, attempts);
  const rows = chainedRows(makeRow, createBenchChain(), records);
  const bareSeconds = await insertAll(bare.url, rows);
  return {
    recordsPerSecond: records / recordSeconds,
    bareRowsPerSecond: records / bareSeconds,
    chainMicroseconds: timeChain(makeRow),
  };
}

/** The extra microseconds to serialise a record with its position in a chain. */
function timeChain(makeRow: MakeRow): number {
  const chain = createBenchChain();
  const { chain: id, seq, hash } = chain.add(makeRow(Date.now()));
  const [bound, unbound]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < chainTurns; turn += 1) {
    const rows = Array.from({ length: rowsATurn }, () => makeRow(Date.now()));
    bound.push(timeOf(() => rows.map((row) => JSON.stringify(chain.add(row)))));
    unbound.push(timeOf(() => rows.map((row) => JSON.stringify({ ...row, chain: id, seq, hash }))));
  }
  return ((lowerQuartile(bound) - lowerQuartile(unbound)) / rowsATurn) * 1000;
}

function timeOf(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

async function expectRows(database: Database, expected: number): Promise<void> {
  const [row] = await database.query<{ rows: number }>('select count(*)::int as rows from login_log');
  if (row?.rows !== expected) throw new Error(`There are ${row?.rows} records and not ${expected}.`);
}

interface Side {
  readonly database: Database;
  readonly server: Server;
  readonly client: HttpClient;
  readonly milliseconds: number[];
}

interface Logins {
  readonly on: number;
  readonly off: number;
  readonly pairs: number;
}

async function measureLogins(pairs: number): Promise<Logins> {
  const sides: Side[] = [];
  try {
    for (const enabled of ['true', 'false']) sides.push(await startSide(enabled));
    for (let pair = -20; pair < pairs; pair += 1)
      for (const side of pair % 2 === 0 ? sides : sides.toReversed()) {
        const milliseconds = await logIn(side.client, usernameOf(pair + 20));
        if (pair >= 0) side.milliseconds.push(milliseconds);
      }
    const [on = Number.NaN, off = Number.NaN] = sides.map(({ milliseconds }) => median(milliseconds));
    printLine({ bench: 'log', pairs, medianOn: on, medianOff: off });
    return { on, off, pairs };
  } finally {
    for (const { client, server, database } of sides) {
      client.close();
      await server.stop();
      await database.drop();
    }
  }
}

async function startSide(enabled: string): Promise<Side> {
  const database = await createDatabase({ migrated: true });
  await seedUsers(database, defaultCost);
  const settings = { ...settingsFor(defaultCost), LOGGER_ENABLEDDB: enabled };
  const server = await startServer({ databaseUrl: database.url, settings });
  return {
    database,
    server,
    client: createHttpClient(server.port, { remembers: false, resends: true }),
    milliseconds: [],
  };
}

function report(writes: readonly WriteRound[], { on, off, pairs }: Logins): BenchResult {
  const middle = (value: (round: WriteRound) => number) => median(writes.map(value));
  const ratio = middle((round) => round.recordsPerSecond / round.bareRowsPerSecond);
  const chainShare = middle((round) => round.chainMicroseconds * round.recordsPerSecond) / 1e4;
  const perSecond = (value: number) => Math.round(value).toLocaleString('en');
  return {
    tables: [
      '## What the login log costs',
      '',
      `Attempts that become records, are synced to the spool and drained into the table, against prepared inserts of 1,000 such rows each and nothing else, both with all indexes; medians of ${writes.length} rounds. Then ${pairs} logins on each of two services, one after the other in turns.`,
      '',
      '| | Median |',
      '|---|--:|',
      `| Records a second, from attempt to table | ${perSecond(middle((round) => round.recordsPerSecond))} |`,
      `| Bare rows a second | ${perSecond(middle((round) => round.bareRowsPerSecond))} |`,
      `| The chain's part of a record | ${middle((round) => round.chainMicroseconds).toFixed(1)} us |`,
      `| Login, log on | ${on.toFixed(1)} ms |`,
      `| Login, log off | ${off.toFixed(1)} ms |`,
      '',
    ].join('\n'),
    bars: [
      { what: 'Records against bare rows', value: ratio, limit: 0.7, unit: 'x', better: 'higher' },
      {
        what: 'Part of the chain in the time of a record',
        value: chainShare,
        limit: 10,
        unit: '%',
        better: 'lower',
      },
      {
        what: 'Median login with the log on beyond off',
        value: on - off,
        limit: 3,
        unit: 'ms',
        better: 'lower',
      },
    ],
    charts: {},
  };
}
