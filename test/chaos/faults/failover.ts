// The primary dies and the synchronous standby takes over, again and again, with changes going on (F08): nothing that
// was acknowledged is lost, and no instance grants what was taken away before or after.
import { setTimeout as sleep } from 'node:timers/promises';
import { longestLeaseMilliseconds } from '@portcullis/gate';
import { type PostgresPair, startPostgresPair } from '../../rig/postgres-pair.ts';
import { createLatency } from '../latency.ts';
import type { ChaosRun, OwnScenario } from '../scenario.ts';
import { type FaultFrame, keepEnding, runFault, untilEnded } from './run-fault.ts';

export const failoverScenario: OwnScenario = {
  title: 'fail over from the primary to its standby',
  size: 2,
  instances: 3,
  leaseSeconds: 2,
  run: runFailover,
};

async function runFailover(run: ChaosRun) {
  const pair = await startPostgresPair();
  try {
    return await runFault(run, { server: pair.url(), rules: 1000, restarts: true }, (frame) =>
      runFailovers(frame, pair),
    );
  } finally {
    await pair.remove();
  }
}

async function runFailovers(frame: FaultFrame, pair: PostgresPair): Promise<void> {
  const { cluster, prober, random, check, remark, rounds, limitOf } = frame;
  const times = { failover: createLatency(), change: createLatency(), rebuild: createLatency() };
  const closed = createLatency();
  await rounds(async () => {
    // Two writers, so that one is mostly inside its commit when the primary dies.
    const stops = [keepEnding(frame, cluster.instances, 5), keepEnding(frame, cluster.instances, 5)];
    await sleep(100 + random.below(400));
    const startedAt = performance.now();
    await pair.failOver();
    const overAt = performance.now();
    times.failover.add(overAt - startedAt);
    for (const stopEnding of stops) await stopEnding();
    await untilEnded(frame, cluster.instances);
    const change = performance.now() - overAt;
    times.change.add(change);
    check(
      change <= limitOf(longestLeaseMilliseconds + 1000),
      `the first change after it took ${change.toFixed(0)} ms`,
    );
    for (const instance of cluster.instances)
      await prober.untilServes(instance, 2 * longestLeaseMilliseconds);
    const probes = cluster.instances.flatMap((instance) => prober.probesOf(instance, startedAt));
    closed.add(probes.filter(({ outcome }) => outcome === 'unavailable').length);
    check(!probes.some(({ outcome }) => outcome === 'failed'), 'a client lost its connection');
    const latched = await cluster.database.query(
      'select from current_revision where history_lost_at is not null',
    );
    check(latched.length === 0, 'a failover that lost nothing latched the history');
    const rebuiltFrom = performance.now();
    await pair.rebuildStandby();
    times.rebuild.add(performance.now() - rebuiltFrom);
  });
  remark(`the failover: ${times.failover.text()}`);
  remark(`from its end to the first change that was acknowledged: ${times.change.text()}`);
  remark(`checks with 503 in a round: p50 ${closed.at(0.5)}, max ${closed.at(1)}`);
  remark(`building the next standby: ${times.rebuild.text()}`);
}
