// Patroni fails over, again and again, with changes going on: the primary's Patroni and Postgres are killed together, or
// stand still for longer than the leader's key lives, and then go on as if nothing had been. Nothing that was acknowledged is lost, nothing is allowed that was taken away, and soon all is well without a repair.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../rig/create-database.ts';
import { note } from '../../rig/notes.ts';
import { type PatroniCluster, type PatroniNode, startPatroni } from '../../rig/patroni.ts';
import { createLatency } from '../latency.ts';
import type { ChaosRun, OwnScenario } from '../scenario.ts';
import { checkHealthy, type FaultFrame, keepEnding, runFault } from './run-fault.ts';

export const patroniScenario: OwnScenario = {
  title: 'let Patroni fail over from a node that died',
  onlyByName: true,
  size: 5,
  instances: 3,
  leaseSeconds: 10,
  run: (run) => runPatroni(run, died),
};

export const patroniFrozenScenario: OwnScenario = {
  ...patroniScenario,
  title: 'let Patroni fail over from a node that stands still and wakes up',
  run: (run) => runPatroni(run, frozen),
};

interface NodeFault {
  strike(node: PatroniNode): Promise<void> | void;
  /** When all is well without it. */
  mend(node: PatroniNode, struckAt: number): Promise<void> | void;
}

const died: NodeFault = { strike: (node) => node.kill(), mend: (node) => node.start() };
const frozenMilliseconds = 40_000;
const frozen: NodeFault = {
  strike: (node) => node.signalAll('SIGSTOP'),
  async mend(node, struckAt) {
    await sleep(Math.max(0, struckAt + frozenMilliseconds - performance.now()));
    node.signalAll('SIGCONT');
  },
};

const bar = 45_000;
/** In one of so many rounds a standby is lost first. */
const standbyRounds = 5;
const pauseMilliseconds = 20;

async function runPatroni(run: ChaosRun, fault: NodeFault) {
  const patroni = await startPatroni();
  try {
    return await runFault(run, { server: patroni.url, rules: 1000, restarts: true }, (frame) =>
      runFailovers(frame, patroni, fault),
    );
  } finally {
    await patroni.remove();
  }
}

async function runFailovers(frame: FaultFrame, patroni: PatroniCluster, fault: NodeFault): Promise<void> {
  const { prober, cluster, random, check, stalls, remark, rounds } = frame;
  const times = { change: createLatency(), served: createLatency(), whole: createLatency() };
  const closed = createLatency();
  await rounds(async (number) => {
    if (number % standbyRounds === 0) await loseStandby(frame, patroni);
    const stopEnding = startEnding(frame);
    await sleep(500 + random.below(1500));
    const primary = await patroni.findPrimary();
    const struckAt = performance.now();
    await fault.strike(primary);
    await stopEnding();
    times.change.add(await untilChanged(frame, struckAt));
    for (const instance of cluster.instances) await prober.untilServes(instance, bar);
    const healthy = performance.now() - struckAt;
    times.served.add(healthy);
    check(healthy <= bar + stalls.longestMilliseconds, `all was well after ${healthy.toFixed(0)} ms only`);
    const probes = cluster.instances.flatMap((instance) => prober.probesOf(instance, struckAt));
    closed.add(probes.filter(({ outcome }) => outcome === 'unavailable').length);
    check(!probes.some(({ outcome }) => outcome === 'failed'), 'a client lost its connection');
    // With changes, so that a node that wakes up as a primary has something to get wrong.
    const stopAgain = startEnding(frame);
    await fault.mend(primary, struckAt);
    await patroni.untilWhole();
    times.whole.add(performance.now() - struckAt);
    await stopAgain();
    await checkRevisions(frame);
  });
  remark(`from the fault to a change that was acknowledged: ${times.change.text()}`);
  remark(`from the fault until every instance allows as well: ${times.served.text()}`);
  remark(`checks with 503 in a round: p50 ${closed.at(0.5)}, max ${closed.at(1)}`);
  remark(`from the fault until three nodes are well again: ${times.whole.text()}`);
}

/** Two writers, so that one is mostly inside its commit. */
function startEnding(frame: FaultFrame): () => Promise<void> {
  const stops = [1, 2].map(() => keepEnding(frame, frame.cluster.instances, pauseMilliseconds));
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}

/** No instance enforces what the primary does not have. */
async function checkRevisions({ cluster, check }: FaultFrame): Promise<void> {
  const figures = cluster.instances.map(async ({ server }) => {
    const text = await (await fetch(`http://127.0.0.1:${server.opsPort}/metrics`)).text();
    return Number(/^portcullis_revision_enforced (\d+)$/m.exec(text)?.[1]);
  });
  const enforced = Math.max(...(await Promise.all(figures)));
  const [row] = await readRevision(cluster.database);
  check(enforced <= Number(row?.n), `an instance is at revision ${enforced}, and Postgres at ${row?.n}`);
}

/** Each connection from before the failover may break when it is used. */
async function readRevision(database: Database, tries = 10): Promise<{ n: string }[]> {
  try {
    return await database.query<{ n: string }>('select n from current_revision');
  } catch (error) {
    if (tries === 1) throw error;
    note('retried', 'a read of the revision on a connection that a failover broke');
    await sleep(pauseMilliseconds);
    return await readRevision(database, tries - 1);
  }
}

/** The one that every commit waits for: Patroni puts the other one into its place, and no check is refused meanwhile. */
async function loseStandby(frame: FaultFrame, patroni: PatroniCluster): Promise<void> {
  const { cluster, run, remark } = frame;
  const standby = await patroni.findSynchronousStandby();
  const killedAt = performance.now();
  await standby.kill();
  const changed = await untilChanged(frame, killedAt);
  // As long as a lease from before the kill could hide it.
  await sleep(Math.max(0, run.leaseSeconds * 1000 + 2000 - changed));
  checkHealthy(frame, cluster.instances, killedAt);
  remark(`a standby was lost: a change was acknowledged ${changed.toFixed(0)} ms later`);
  standby.start();
  await patroni.untilWhole();
}

/** The milliseconds since then until a change is acknowledged, on any instance. */
async function untilChanged({ prober, cluster, random }: FaultFrame, since: number): Promise<number> {
  while (!(await prober.endOne(random.pick(cluster.instances))).ended) {
    if (performance.now() - since > 4 * bar) throw new Error('No change is acknowledged any more.');
    await sleep(100);
  }
  return performance.now() - since;
}
