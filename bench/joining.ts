// Benchmark of starting a thousand guards at once: real guards, and light ones that fetch, verify and acknowledge the
// same data, against two instances with 100,000 rules and a million revoked tokens.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, decisionSecret, startCluster } from '../test/chaos/start-cluster.ts';
import { parentOf, readCpuMilliseconds, readFamilyCpuMilliseconds } from '../test/rig/cpu-time.ts';
import { type Bench, type BenchResult, median } from './bench.ts';
import type { FetchersReport, FetchersTask, GuardTask, GuardWeight } from './joining/messages.ts';

interface Size {
  readonly rules: number;
  readonly endedTokens: number;
  readonly real: number;
  readonly light: number;
}

interface RealGuard extends GuardWeight {
  readonly milliseconds: number;
}

interface Joined {
  readonly seconds: number;
  readonly postgres: number;
  readonly instances: number;
  readonly real: readonly RealGuard[];
  readonly light: readonly FetchersReport[];
}

const withinMilliseconds = 10_000;
/** One per core. */
const fetcherProcesses = 2;
const mega = 1_000_000;

export const benchJoining: Bench = {
  async run({ quick }) {
    const size: Size = quick
      ? { rules: 20_000, endedTokens: 100_000, real: 2, light: 20 }
      : { rules: 100_000, endedTokens: 1_000_000, real: 20, light: 980 };
    const empty = await withCluster({ rules: 0, endedTokens: 0 }, (cluster) => joinOne(cluster));
    return report(size, empty, await withCluster(size, (cluster) => joinAll(cluster, size)));
  },
};

async function withCluster<T>(
  { rules, endedTokens }: Pick<Size, 'rules' | 'endedTokens'>,
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const cluster = await startCluster({ instances: 2, leaseSeconds: 10, rules, endedTokens });
  try {
    return await work(cluster);
  } finally {
    await cluster.stop();
  }
}

async function joinOne(cluster: Cluster): Promise<RealGuard> {
  await using guard = startChild('guard');
  return await weigh(guard.process, await joinReal(cluster, guard.process));
}

/** Resolves with the duration in milliseconds. */
async function joinReal(cluster: Cluster, child: ChildProcess): Promise<number> {
  const urls = portsOf(cluster).map((port) => `http://127.0.0.1:${port}`);
  child.send({ urls, secret: decisionSecret } satisfies GuardTask);
  return await answerOf<number>(child);
}

async function weigh(child: ChildProcess, milliseconds: number): Promise<RealGuard> {
  child.send('weigh');
  return { milliseconds, ...(await answerOf<GuardWeight>(child)) };
}

async function joinAll(cluster: Cluster, { real, light }: Size): Promise<Joined> {
  await using children = new AsyncDisposableStack();
  const guards = Array.from({ length: real }, () => children.use(startChild('guard')));
  const fetchers = Array.from({ length: fetcherProcesses }, () => children.use(startChild('fetchers')));
  // Waits until all of them run, because the start of Node is not measured.
  await sleep(real * 250);
  const before = await look(cluster);
  const task: FetchersTask = {
    ports: portsOf(cluster),
    secret: decisionSecret,
    guards: light / fetcherProcesses,
    withinMilliseconds,
  };
  const fetching = fetchers.map(({ process }) => {
    process.send(task);
    return answerOf<FetchersReport>(process);
  });
  const joining = guards.map(async ({ process }) => {
    await sleep(Math.random() * withinMilliseconds);
    return await joinReal(cluster, process);
  });
  const [fetched, joined] = await Promise.all([Promise.all(fetching), Promise.all(joining)]);
  const after = await look(cluster);
  return {
    seconds: (after.at - before.at) / 1000,
    postgres: (after.postgres - before.postgres) / 1000,
    instances: (after.instances - before.instances) / 1000,
    real: await Promise.all(guards.map(({ process }, index) => weigh(process, joined[index] ?? 0))),
    light: fetched,
  };
}

function portsOf({ instances }: Cluster): number[] {
  return instances.map(({ server }) => server.decisionPort);
}

interface Child extends AsyncDisposable {
  readonly process: ChildProcess;
}

function startChild(name: 'guard' | 'fetchers'): Child {
  const child = fork(new URL(`joining/${name}.ts`, import.meta.url), { execArgv: ['--expose-gc'] });
  return {
    process: child,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || !child.connected) return;
      child.send('end');
      await once(child, 'exit');
    },
  };
}

async function answerOf<T>(child: ChildProcess): Promise<T> {
  const ended = once(child, 'exit').then(() => {
    throw new Error('A guard ended before it was ready.');
  });
  const [answer] = (await Promise.race([once(child, 'message'), ended])) as [T];
  ended.catch(() => {});
  return answer;
}

async function look({ database, instances }: Cluster) {
  const [backend] = await database.query('select pg_backend_pid() as pid');
  return {
    at: performance.now(),
    // The CPU time of Postgres for all databases, including closed connections.
    postgres: readFamilyCpuMilliseconds(parentOf(Number(backend?.pid))),
    instances: instances.reduce((sum, { server }) => sum + readCpuMilliseconds(server.process.pid), 0),
  };
}

function report(size: Size, empty: RealGuard, { real, light, ...joined }: Joined): BenchResult {
  const more = (of: 'bytes' | 'rss') => (median(real.map((guard) => guard[of])) - empty[of]) / mega;
  const lightMilliseconds = light.flatMap(({ milliseconds }) => milliseconds);
  const fetched = Math.max(...light.map(({ bytes }) => bytes));
  const retries = light.reduce((sum, one) => sum + one.retries, 0);
  const longest = (milliseconds: readonly number[]) => Math.max(...milliseconds) / 1000;
  const tables = [
    `Two instances with ${size.rules.toLocaleString('en')} rules and ${size.endedTokens.toLocaleString('en')} ended tokens; ${size.real} guards in processes of their own and ${size.light} in two that fetch, check the hashes and take their lease, started at random within ${withinMilliseconds / 1000} s, on the same two cores.`,
    '',
    '| What | |',
    '|---|--:|',
    `| All of them ready | ${joined.seconds.toFixed(1)} s |`,
    `| A real guard, median and longest | ${(median(real.map(({ milliseconds }) => milliseconds)) / 1000).toFixed(1)} / ${longest(real.map(({ milliseconds }) => milliseconds)).toFixed(1)} s |`,
    `| One that only fetches | ${(median(lightMilliseconds) / 1000).toFixed(1)} / ${longest(lightMilliseconds).toFixed(1)} s |`,
    `| Calls of these that were tried again | ${retries} |`,
    `| Fetched by each | ${(fetched / mega).toFixed(2)} MB |`,
    `| Processor time of Postgres, and of both instances | ${joined.postgres.toFixed(2)} / ${joined.instances.toFixed(1)} s |`,
    `| Memory of a guard beyond one that holds nothing | ${more('bytes').toFixed(1)} MB, ${more('rss').toFixed(0)} MB resident |`,
  ].join('\n');
  const bar = (what: string, value: number, limit: number, unit: string) =>
    ({ what, value, limit, unit, better: 'lower' }) as const;
  return {
    tables,
    bars: [
      bar('all guards ready', joined.seconds, 60, 's'),
      bar('processor time of Postgres', joined.postgres, 5, 's'),
      bar('what a guard fetches', fetched / mega, 12, 'MB'),
      bar('memory of a guard', more('bytes'), 25, 'MB'),
    ],
    charts: {},
  };
}
