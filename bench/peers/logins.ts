// Compares logins of Portcullis and better-auth in interleaved rounds: logins per second, and CPU time per login.
import { randomBytes } from 'node:crypto';
import { createDatabase } from '../../test/rig/create-database.ts';
import { createHttpClient } from '../../test/rig/http-client.ts';
import { startServer } from '../../test/rig/start-server.ts';
import { type BenchResult, median, printLine } from '../bench.ts';
import { type Cpu, type CpuMeter, startCpuMeter } from '../login/cpu-of-login.ts';
import { usernameOf } from '../login/fixture.ts';
import { logIn, seedUsers } from '../login/log-in.ts';
import { logInToPeer, startBetterAuth } from './better-auth.ts';

const turnMilliseconds = 2000;
const atOnce = 8;

interface LoginTurn extends Cpu {
  readonly loginsPerSecond: number;
}

export interface LoginSide {
  readonly name: string;
  readonly turns: LoginTurn[];
}

interface Running extends LoginSide {
  readonly meter: CpuMeter;
  logIn(user: number): Promise<boolean>;
}

export async function measureLogins(quick: boolean): Promise<LoginSide[]> {
  await using opened = new AsyncDisposableStack();
  const sides = [await startOurs(opened), await startPeer(opened)];
  for (let round = 0; round <= (quick ? 2 : 11); round += 1)
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const turn = await takeTurn(side);
      if (round === 0) continue;
      side.turns.push(turn);
      printLine({ bench: 'peers', round, logins: side.name, ...turn });
    }
  return sides;
}

async function startOurs(opened: AsyncDisposableStack): Promise<Running> {
  const database = await createDatabase({ migrated: true });
  opened.defer(database.drop);
  await seedUsers(database);
  const server = await startServer({
    databaseUrl: database.url,
    script: 'bench/login/login-server.ts',
    settings: { HASH_CONCURRENCY: '2' },
  });
  opened.defer(async () => void (await server.stop()));
  const client = createHttpClient(server.port, { remembers: false });
  opened.defer(client.close);
  return {
    name: 'Portcullis: captcha, throttle, argon2id at 19 MiB and 2 passes, session, synced record',
    turns: [],
    meter: await startCpuMeter(database, server.process.pid),
    logIn: (user) => logIn(database, client, usernameOf(user)),
  };
}

async function startPeer(opened: AsyncDisposableStack): Promise<Running> {
  const secret = randomBytes(32).toString('hex');
  const name = 'better-auth: scrypt at 32 MiB, session';
  const peer = await startBetterAuth({ name, words: ['--cookie-cache'], secret, isFree: true });
  opened.defer(peer.drop);
  opened.defer(peer.server.stop);
  const client = createHttpClient(peer.server.port, { remembers: false });
  opened.defer(client.close);
  return {
    name,
    turns: [],
    meter: await startCpuMeter(peer.database, peer.server.pid, 'better-auth'),
    logIn: async (user) => (await logInToPeer(client, user)) !== '',
  };
}

async function takeTurn({ meter, logIn: log }: Running): Promise<LoginTurn> {
  await meter.lap();
  const startedAt = performance.now();
  let logins = 0;
  const logInOn = async (index: number) => {
    for (let user = index; performance.now() - startedAt < turnMilliseconds; user += 7)
      if (await log(user)) logins += 1;
  };
  await Promise.all(Array.from({ length: atOnce }, (_, index) => logInOn(index)));
  const seconds = (performance.now() - startedAt) / 1000;
  const { service, mainThread, postgres } = await meter.lap();
  return {
    loginsPerSecond: logins / seconds,
    service: service / logins,
    mainThread: mainThread / logins,
    postgres: postgres / logins,
  };
}

export function describeLogins(sides: readonly LoginSide[]): Pick<BenchResult, 'tables' | 'bars'> {
  const middle = ({ turns }: LoginSide, figure: keyof LoginTurn) => median(turns.map((turn) => turn[figure]));
  const rows = sides.map((side) => {
    const figures = (['loginsPerSecond', 'service', 'mainThread', 'postgres'] as const).map((figure) =>
      middle(side, figure).toFixed(1),
    );
    return `| ${side.name} | ${figures.join(' | ')} |`;
  });
  return {
    tables: [
      `Logins, ${atOnce} clients at once in turns of ${turnMilliseconds / 1000} s, medians of ${sides[0]?.turns.length}; client, service and Postgres share the two cores. Processor time in milliseconds a login, of the service with its hash, of its main thread alone, and of Postgres.`,
      '',
      '| Service | Logins a second | Service | Main thread | Postgres |',
      '|---|--:|--:|--:|--:|',
      ...rows,
      '',
    ].join('\n'),
    bars: [],
  };
}
