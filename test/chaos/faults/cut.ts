// One instance loses its line to Postgres, or a guard its line to Portcullis, while clients still reach it (F21, F22): it
// goes on for as long as its lease and not a moment longer, the others do not notice, and a change waits for one lease at most.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Direction, startTcpProxy, type TcpProxy } from '../../rig/tcp-proxy.ts';
import { createLatency } from '../latency.ts';
import type { ClusterScenario, OwnScenario } from '../scenario.ts';
import type { Cluster, Instance } from '../start-cluster.ts';
import { checkHealthy, type FaultFrame, faultRules, runFault, runFaultOn, untilEnded } from './run-fault.ts';
import { withPostgres } from './with-postgres.ts';

const directions: readonly Direction[] = ['both', 'up', 'down'];
const backWithinMilliseconds = 10_000;
/** A line that is long enough for a request to come between any two steps of the instance that catches up. */
const lineMilliseconds = 20;

export const cutScenario: OwnScenario = {
  title: 'cut one instance off from Postgres: both ways, up, down',
  size: 3,
  instances: 3,
  leaseSeconds: 2,
  run: (run) =>
    withPostgres({}, (postgres, proxy) =>
      runFault(
        run,
        {
          server: postgres.url(),
          databaseUrlOf: (url, index) => (index === run.instances - 1 ? proxy.urlThrough(url) : url),
          restarts: true,
        },
        (frame) => runCuts(frame, proxy, lastOf(frame.cluster)),
      ),
    ),
};

export const guardCutScenario: ClusterScenario = {
  title: 'cut a guard off from Portcullis: both ways, up, down',
  size: 3,
  instances: 3,
  leaseSeconds: 2,
  rules: faultRules,
  runOn: (cluster, run) =>
    runFaultOn(cluster, run, async (frame) => {
      const proxy = await startTcpProxy({ port: lastOf(cluster).server.decisionPort });
      const guard = await cluster.startGuard(proxy.port);
      frame.prober.watch(guard);
      await runCuts(frame, proxy, guard);
      await frame.prober.unwatch(guard);
      await guard.server.stop();
      await proxy.close();
    }),
};

function lastOf({ instances }: Cluster): Instance {
  const last = instances.at(-1);
  if (last === undefined) throw new Error('There is no instance.');
  return last;
}

async function runCuts(frame: FaultFrame, proxy: TcpProxy, victim: Instance): Promise<void> {
  const { run, cluster, prober, check, remark, rounds, limitOf } = frame;
  const leaseMilliseconds = run.leaseSeconds * 1000;
  const healthy = cluster.instances.filter((instance) => instance !== victim);
  const times = {
    change: createLatency(),
    next: createLatency(),
    left: createLatency(),
    back: createLatency(),
  };

  proxy.setDelay(lineMilliseconds);
  await rounds(async (number) => {
    const direction = directions[number % directions.length] ?? 'both';
    const cutAt = performance.now();
    proxy.cut(direction);
    const { milliseconds, subject } = await untilEnded(frame, healthy);
    check(
      milliseconds <= limitOf(leaseMilliseconds),
      `${direction}: the change took ${milliseconds.toFixed(0)} ms`,
    );
    times.change.add(milliseconds);
    for (const writer of healthy) times.next.add((await prober.endOne(writer)).milliseconds);
    await sleep(Math.max(0, cutAt + leaseMilliseconds + 1000 - performance.now()));
    const { outcome } = await prober.ask(victim, prober.pickGood());
    check(outcome === 'unavailable', `${direction}: the answer was ${outcome} after the lease was over`);
    proxy.heal();
    const refused = prober.untilRefused(victim, subject);
    times.back.add(await prober.untilServes(victim, backWithinMilliseconds));
    await refused;
    times.left.add(checkVictim(frame, victim, cutAt, direction));
    checkHealthy(frame, healthy, cutAt);
  });
  remark(`the first change after the cut: ${times.change.text()}`);
  remark(`the changes after that, while it was cut: ${times.next.text()}`);
  remark(`from the cut to the last allowed request: ${times.left.text()}`);
  remark(`from the end of the cut to the first allowed request: ${times.back.text()}`);
}

/** The milliseconds from the cut to the last request that was allowed before it healed. */
function checkVictim(
  { prober, check, run }: FaultFrame,
  victim: Instance,
  cutAt: number,
  direction: Direction,
) {
  const leaseMilliseconds = run.leaseSeconds * 1000;
  const probes = prober
    .probesOf(victim, cutAt)
    .filter(({ sentAt }) => sentAt < cutAt + leaseMilliseconds + 1000);
  const allowed = probes.filter(({ outcome }) => outcome === 'allowed').map(({ sentAt }) => sentAt - cutAt);
  const late = allowed.filter((milliseconds) => milliseconds > leaseMilliseconds);
  check(late.length === 0, `${direction}: ${late.length} requests were allowed after the lease was over`);
  return Math.max(0, ...allowed);
}
