// Benchmark of a login beyond its password hash: complete logins (captcha, brute-force protection, hash, token,
// session, record) against hashes alone in the same process, in interleaved rounds.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDatabase, type Database } from '../test/rig/create-database.ts';
import { createHttpClient, type HttpClient } from '../test/rig/http-client.ts';
import { repository } from '../test/rig/start-process.ts';
import { startServer } from '../test/rig/start-server.ts';
import { type Bar, type Bench, type BenchResult, median, printLine } from './bench.ts';
import { type Cpu, type CpuMeter, startCpuMeter } from './login/cpu-of-login.ts';
import { usernameOf } from './login/fixture.ts';
import { logIn, seedUsers } from './login/log-in.ts';

const turnMilliseconds = 2000;
/** Enough clients that the next password always waits for a hash slot. */
const clientsPerHash = 4;

interface Round {
  readonly loginsPerSecond: number;
  readonly hashesPerSecond: number;
  /** CPU milliseconds per login. */
  readonly cpu: Cpu;
}

/** One of the checkouts that are measured. */
interface Side {
  readonly name: string;
  readonly folder: string;
  readonly rounds: Round[];
}

export const benchLogin: Bench = {
  async run({ quick, beside }) {
    const rounds = quick ? 2 : 15;
    const one = await measure(1, rounds, beside);
    // A concurrency of two has no limit to check, so it is measured only beside another checkout.
    const two = quick && beside === undefined ? [] : await measure(2, rounds, beside);
    return report(one, two, quick);
  },
};

/** Both checkouts are measured in the same rounds. */
async function measure(concurrency: number, rounds: number, beside: string | undefined): Promise<Side[]> {
  const sides: Side[] = [{ name: 'this one', folder: repository, rounds: [] }];
  if (beside !== undefined) sides.push({ name: beside, folder: beside, rounds: [] });
  const started: Started[] = [];
  try {
    for (const side of sides) started.push(await start(side, concurrency));
    for (let round = 0; round <= rounds; round += 1)
      for (const one of round % 2 === 0 ? started : started.toReversed()) {
        const measured = await takeRound(one, concurrency);
        if (round === 0) continue;
        one.side.rounds.push(measured);
        printLine({ bench: 'login', concurrency, round, side: one.side.name, ...measured });
      }
    return sides;
  } finally {
    for (const one of started) await one.stop();
  }
}

interface Started {
  readonly side: Side;
  readonly database: Database;
  readonly client: HttpClient;
  readonly meter: CpuMeter;
  stop(): Promise<void>;
}

/** Each has a separate database, because their tables can differ. */
async function start(side: Side, concurrency: number): Promise<Started> {
  const database = await createDatabase({ migrated: side.folder === repository });
  await migrate(side, database);
  await seedUsers(database);
  const server = await startServer({
    databaseUrl: database.url,
    script: join(side.folder, 'bench/login/login-server.ts'),
    settings: { HASH_CONCURRENCY: String(concurrency) },
  });
  const client = createHttpClient(server.port, { remembers: false, resends: true });
  const meter = await startCpuMeter(database, server.process.pid);
  return {
    side,
    database,
    client,
    meter,
    async stop() {
      client.close();
      await server.stop();
      await database.drop();
    },
  };
}

async function migrate({ folder }: Side, database: Database): Promise<void> {
  if (folder === repository) return;
  const main = join(folder, 'packages/operator/src/main.ts');
  const env = { ...process.env, APPLICATION_MODE: 'dev', DATABASE_URL: database.url };
  await promisify(execFile)(process.execPath, [main, 'migrate'], { env });
}

async function takeRound({ database, client, meter }: Started, concurrency: number): Promise<Round> {
  const hashesPerSecond = await bareHashes(client, concurrency);
  await meter.lap();
  const { logins, seconds } = await logInForAWhile(database, client, concurrency);
  const { service, mainThread, postgres } = await meter.lap();
  const cpu = { service: service / logins, mainThread: mainThread / logins, postgres: postgres / logins };
  return { hashesPerSecond, loginsPerSecond: logins / seconds, cpu };
}

async function bareHashes(client: HttpClient, concurrency: number): Promise<number> {
  const body = { milliseconds: turnMilliseconds, concurrency };
  const answer = await client.send({ method: 'POST', path: '/api/v1/bare-hashes', body });
  return (answer.body.data as { hashesPerSecond: number }).hashesPerSecond;
}

async function logInForAWhile(database: Database, client: HttpClient, concurrency: number) {
  const startedAt = performance.now();
  let logins = 0;
  const logInOn = async (index: number) => {
    for (let user = index; performance.now() - startedAt < turnMilliseconds; user += 7) {
      if (await logIn(database, client, usernameOf(user))) logins += 1;
    }
  };
  await Promise.all(Array.from({ length: clientsPerHash * concurrency }, (_, index) => logInOn(index)));
  return { logins, seconds: (performance.now() - startedAt) / 1000 };
}

const mostOfBefore = 0.85;

function report(one: readonly Side[], two: readonly Side[], quick: boolean): BenchResult {
  const middle = (side: Side | undefined, figure: (round: Round) => number) =>
    median((side?.rounds ?? []).map(figure));
  const ratio = (side: Side | undefined) =>
    middle(side, ({ loginsPerSecond, hashesPerSecond }) => loginsPerSecond / hashesPerSecond);
  const ofLogin = (side: Side | undefined) => middle(side, ({ cpu }) => cpu.service + cpu.postgres);
  const row = (name: string, side: Side) => {
    const figures = [
      middle(side, ({ hashesPerSecond }) => hashesPerSecond).toFixed(1),
      middle(side, ({ loginsPerSecond }) => loginsPerSecond).toFixed(1),
      ratio(side).toFixed(2),
      middle(side, ({ cpu }) => cpu.service).toFixed(1),
      middle(side, ({ cpu }) => cpu.mainThread).toFixed(1),
      middle(side, ({ cpu }) => cpu.postgres).toFixed(1),
    ];
    return `| ${name}${side.folder === repository ? '' : `, ${side.name}`} | ${figures.join(' | ')} |`;
  };
  const bars: Bar[] = [
    {
      what: 'Logins against bare hashes, one at once',
      value: ratio(one[0]),
      limit: 0.87,
      unit: '',
      better: 'higher',
    },
  ];
  if (two.length > 1)
    bars.push({
      what: 'Processor time of a login against the other checkout, two at once',
      value: ofLogin(two[0]) / ofLogin(two[1]),
      limit: mostOfBefore,
      unit: 'x',
      better: 'lower',
    });
  return {
    tables: [
      '## Logins',
      '',
      `Full logins (captcha drawn, fetched and solved, throttle, argon2id at 19 MiB and 2 passes, token, session, record) against bare hashes of the same process, in turns of ${turnMilliseconds / 1000} s; medians of ${one[0]?.rounds.length} rounds. The client and Postgres share the two cores. Processor time in milliseconds a login: of the service with its hash, of its main thread alone, of Postgres.`,
      '',
      '| Hashes at once | Bare hashes a second | Logins a second | Ratio | Service | Main thread | Postgres |',
      '|---|--:|--:|--:|--:|--:|--:|',
      ...one.map((side) => row('1', side)),
      ...two.map((side) => row('2', side)),
      '',
    ].join('\n'),
    bars: quick ? bars.slice(0, 1) : bars,
    charts: {},
  };
}
