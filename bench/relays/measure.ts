// Measures the CPU time of two instances, Postgres and the guards of one process over a period: without
// changes, and with changes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLatency, type Latency } from '../../test/chaos/latency.ts';
import { type Cluster, decisionSecret } from '../../test/chaos/start-cluster.ts';
import { parentOf, readCpuMilliseconds, readFamilyCpuMilliseconds } from '../../test/rig/cpu-time.ts';
import { printLine } from '../bench.ts';
import type { CrowdCounts, CrowdTask } from './crowd-messages.ts';

const settleMilliseconds = 3000;
/** The pause between two changes, which are made one at a time. */
const restMilliseconds = 200;

interface Size {
  readonly guards: number;
  readonly seconds: number;
  readonly changes: number;
}

/** The resources used in a period: by both instances together, by Postgres, and by the guards. */
interface Spent {
  readonly seconds: number;
  readonly cpu: number;
  readonly crowdCpu: number;
  readonly postgresCpu: number;
  readonly transactions: number;
  readonly renewals: number;
  readonly losses: number;
}

export interface Round extends Size {
  /** The period without changes. */
  readonly quiet: Spent;
  /** The period with changes. */
  readonly changing: Spent;
  readonly latency: Latency;
}

export async function measure(cluster: Cluster, size: Size): Promise<Round> {
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

export async function endToken(cluster: Cluster, change: number): Promise<void> {
  const instance = cluster.instances[change % cluster.instances.length];
  const userId = cluster.userIds[change % cluster.userIds.length];
  if (instance === undefined || userId === undefined) throw new Error('The cluster has no user.');
  await cluster.logOut(instance, cluster.issue(userId));
}

interface Crowd extends AsyncDisposable {
  readonly pid: number;
  count(): Promise<CrowdCounts>;
}

export async function openCrowd(cluster: Cluster, guards: number): Promise<Crowd> {
  const child = fork(new URL('crowd.ts', import.meta.url));
  const ports = cluster.instances.map(({ server }) => server.decisionPort);
  child.send({ ports, secret: decisionSecret, guards } satisfies CrowdTask);
  await once(child, 'message');
  return {
    pid: child.pid ?? 0,
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

export async function spend(cluster: Cluster, crowd: Crowd, work: () => Promise<unknown>): Promise<Spent> {
  const [backend] = await cluster.database.query('select pg_backend_pid() as pid');
  const postgres = parentOf(Number(backend?.pid));
  const look = async () => ({
    at: performance.now(),
    cpu: cluster.instances.reduce((sum, { server }) => sum + readCpuMilliseconds(server.process.pid), 0),
    crowdCpu: readCpuMilliseconds(crowd.pid),
    postgresCpu: readFamilyCpuMilliseconds(postgres),
    transactions: await countTransactions(cluster),
    ...(await crowd.count()),
  });
  const before = await look();
  await work();
  const after = await look();
  return {
    seconds: (after.at - before.at) / 1000,
    cpu: after.cpu - before.cpu,
    crowdCpu: after.crowdCpu - before.crowdCpu,
    postgresCpu: after.postgresCpu - before.postgresCpu,
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

/**
 * Subtracts the work of the instances without guards; from the changes also the cost of the
 * lease renewals in that period.
 */
export function costsOf({ guards, changes, quiet, changing }: Round, without: Round) {
  const idle = without.quiet.cpu / without.quiet.seconds;
  const change = (without.changing.cpu - idle * without.changing.seconds) / changes;
  const renewal = (quiet.cpu - idle * quiet.seconds) / quiet.renewals;
  const renewals = Math.max(0, changing.renewals - guards * changes);
  const ofGuards = changing.cpu - idle * changing.seconds - change * changes - renewal * renewals;
  return { renewal: renewal * 1000, change: (ofGuards / (guards * changes)) * 1000 };
}

export function transactionsOf({ changes, quiet, changing }: Round): number {
  return (changing.transactions - (quiet.transactions / quiet.seconds) * changing.seconds) / changes;
}
