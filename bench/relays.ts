// What guards cost the instances that give them leases, and Postgres: two instances, and up to 10,000 guards of one
// process that renew and acknowledge as real ones do.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLatency, type Latency } from '../test/chaos/latency.ts';
import { type Cluster, decisionSecret, startCluster } from '../test/chaos/start-cluster.ts';
import { readCpuMilliseconds } from '../test/rig/cpu-time.ts';
import { type Bench, type BenchResult, printLine } from './bench.ts';
import type { CrowdCounts, CrowdTask } from './relays/crowd-messages.ts';

const settleMilliseconds = 3000;
/** How far apart changes are that follow on each other, one at a time. */
const restMilliseconds = 200;
const busyChangesPerSecond = 20;

interface Size {
  readonly guards: number;
  readonly seconds: number;
  readonly changes: number;
}

/** What went by in a span of time: of both instances together, of Postgres, and of the guards. */
interface Spent {
  readonly seconds: number;
  readonly cpu: number;
  readonly transactions: number;
  readonly renewals: number;
  readonly losses: number;
}

interface Round extends Size {
  /** In which nothing changed. */
  readonly quiet: Spent;
  /** In which the changes were made. */
  readonly changing: Spent;
  readonly latency: Latency;
}

export const benchRelays: Bench = {
  async run({ quick }) {
    const cluster = await startCluster({ instances: 2, leaseSeconds: 10, rules: 1000 });
    try {
      const [seconds, changes] = quick ? [3, 20] : [20, 100];
      const without = await measure(cluster, { guards: 0, seconds, changes });
      const rounds: Round[] = [];
      for (const guards of quick ? [100, 500] : [100, 1000, 10_000])
        rounds.push(await measure(cluster, { guards, seconds, changes }));
      const busy = quick ? { guards: 200, seconds: 5 } : { guards: 1000, seconds: 60 };
      return report(without, rounds, { ...busy, losses: await countLosses(cluster, busy) });
    } finally {
      await cluster.stop();
    }
  },
};

async function measure(cluster: Cluster, size: Size): Promise<Round> {
  await using crowd = await openCrowd(cluster, size.guards);
  await sleep(settleMilliseconds);
  const latency = createLatency();
  const quiet = await spend(cluster, crowd, () => sleep(size.seconds * 1000));
  const changing = await spend(cluster, crowd, async () => {
    for (let change = 0; change < size.changes; change += 1) {
      const at = performance.now();
      await endToken(cluster, change);
      latency.add(performance.now() - at);
      await sleep(restMilliseconds);
    }
  });
  const round = { ...size, quiet, changing, latency };
  printLine({ ...round, latency: latency.text() });
  return round;
}

/** Changes without a rest, while both processors are busy: how many guards lose their lease. */
async function countLosses(cluster: Cluster, { guards, seconds }: { guards: number; seconds: number }) {
  await using crowd = await openCrowd(cluster, guards);
  const burners = Array.from({ length: 2 }, () => fork(new URL('relays/burn.ts', import.meta.url)));
  try {
    const { losses } = await spend(cluster, crowd, async () => {
      const pending: Promise<void>[] = [];
      for (let change = 0; change < seconds * busyChangesPerSecond; change += 1) {
        pending.push(endToken(cluster, change));
        await sleep(1000 / busyChangesPerSecond);
      }
      await Promise.all(pending);
    });
    return losses;
  } finally {
    for (const burner of burners) burner.kill();
  }
}

async function endToken(cluster: Cluster, change: number): Promise<void> {
  const instance = cluster.instances[change % cluster.instances.length];
  const userId = cluster.userIds[change % cluster.userIds.length];
  if (instance === undefined || userId === undefined) throw new Error('The cluster has nobody.');
  await cluster.logOut(instance, cluster.issue(userId));
}

interface Crowd extends AsyncDisposable {
  count(): Promise<CrowdCounts>;
}

async function openCrowd(cluster: Cluster, guards: number): Promise<Crowd> {
  const child = fork(new URL('relays/crowd.ts', import.meta.url));
  const ports = cluster.instances.map(({ server }) => server.decisionPort);
  child.send({ ports, secret: decisionSecret, guards } satisfies CrowdTask);
  await once(child, 'message');
  return {
    async count() {
      child.send('count');
      const [counts] = (await once(child, 'message')) as [CrowdCounts];
      if (counts.closed > 0) throw new Error(`${counts.closed} lines were closed.`);
      return counts;
    },
    async [Symbol.asyncDispose]() {
      child.send('end');
      await once(child, 'exit');
    },
  };
}

async function spend(cluster: Cluster, crowd: Crowd, work: () => Promise<unknown>): Promise<Spent> {
  const look = async () => ({
    at: performance.now(),
    cpu: cluster.instances.reduce((sum, { server }) => sum + readCpuMilliseconds(server.process.pid), 0),
    transactions: await countTransactions(cluster),
    ...(await crowd.count()),
  });
  const before = await look();
  await work();
  const after = await look();
  return {
    seconds: (after.at - before.at) / 1000,
    cpu: after.cpu - before.cpu,
    transactions: after.transactions - before.transactions,
    renewals: after.renewals - before.renewals,
    losses: after.losses - before.losses,
  };
}

async function countTransactions({ database }: Cluster): Promise<number> {
  const [row] = await database.query(
    'select xact_commit::int as count from pg_stat_database where datname = current_database()',
  );
  return Number(row?.count);
}

/** What the instances do without any guard is taken off; of the changes also what the renewals of their time cost. */
function costsOf({ guards, changes, quiet, changing }: Round, without: Round) {
  const idle = without.quiet.cpu / without.quiet.seconds;
  const change = (without.changing.cpu - idle * without.changing.seconds) / changes;
  const renewal = (quiet.cpu - idle * quiet.seconds) / quiet.renewals;
  const renewals = Math.max(0, changing.renewals - guards * changes);
  const ofGuards = changing.cpu - idle * changing.seconds - change * changes - renewal * renewals;
  return { renewal: renewal * 1000, change: (ofGuards / (guards * changes)) * 1000 };
}

function transactionsOf({ changes, quiet, changing }: Round): number {
  return (changing.transactions - (quiet.transactions / quiet.seconds) * changing.seconds) / changes;
}

function report(
  without: Round,
  rounds: readonly Round[],
  busy: { guards: number; seconds: number; losses: number },
): BenchResult {
  const lines = rounds.map((round) => {
    const { renewal, change } = costsOf(round, without);
    const { guards, latency } = round;
    const times = `${latency.at(0.5).toFixed(0)} / ${latency.at(0.99).toFixed(0)} ms`;
    return `| ${guards.toLocaleString('en')} | ${renewal.toFixed(1)} us | ${change.toFixed(1)} us | ${times} | ${transactionsOf(round).toFixed(1)} |`;
  });
  const largest = rounds.at(-1);
  const [smallest] = rounds;
  if (largest === undefined || smallest === undefined) throw new Error('Nothing was measured.');
  const costs = costsOf(largest, without);
  const guards = largest.guards.toLocaleString('en');
  return {
    tables: [
      'Two instances, one Postgres, guards of one process. Processor time is of the instances; a change is a logout.',
      '',
      '| Guards | Renewal | Guard and change | Change, p50 / p99 | Transactions of a change |',
      '|--:|--:|--:|--:|--:|',
      `| 0 | | | ${without.latency.at(0.5).toFixed(0)} / ${without.latency.at(0.99).toFixed(0)} ms | ${transactionsOf(without).toFixed(1)} |`,
      ...lines,
      '',
      `${busy.guards.toLocaleString('en')} guards, ${busyChangesPerSecond} changes a second for ${busy.seconds} s, both processors busy: ${busy.losses} leases lost.`,
    ].join('\n'),
    bars: [
      { what: `a renewal, ${guards} guards`, value: costs.renewal, limit: 30, unit: 'us', better: 'lower' },
      {
        what: `a guard and change, ${guards} guards`,
        value: costs.change,
        limit: 60,
        unit: 'us',
        better: 'lower',
      },
      {
        what: 'transactions of a change, most guards against fewest',
        value: transactionsOf(largest) / transactionsOf(smallest),
        limit: 1.25,
        unit: 'times',
        better: 'lower',
      },
      {
        what: 'leases lost with both processors busy',
        value: busy.losses,
        limit: 0,
        unit: 'leases',
        better: 'lower',
      },
    ],
    charts: {},
  };
}
