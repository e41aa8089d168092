// Postgres dies and comes back under traffic (F07): checks go on for as long as the lease, then the answer is 503 and
// never 401, and nothing that was acknowledged as taken away lives again.
import { setTimeout as sleep } from 'node:timers/promises';
import { isJudged } from '../../rig/judges-times.ts';
import type { PostgresServer } from '../../rig/postgres-server.ts';
import { createLatency } from '../latency.ts';
import type { OwnScenario } from '../scenario.ts';
import { laneRole } from '../start-cluster.ts';
import { type FaultFrame, keepEnding, runFault, untilEnded } from './run-fault.ts';
import { withPostgres } from './with-postgres.ts';

/** One round in so many keeps Postgres away for longer than the lease. */
const longOneIn = 2;
const barMilliseconds = 1000;
/** What an instance may need between the renewal before the kill and the one after the start. */
const renewalsMilliseconds = 1500;

export const restartScenario: OwnScenario = {
  title: 'kill Postgres and start it again',
  size: 2,
  instances: 3,
  leaseSeconds: 3,
  run: (run) =>
    withPostgres({}, (postgres) =>
      runFault(run, { server: postgres.url(), restarts: true }, (frame) => runRestarts(frame, postgres)),
    ),
};

async function runRestarts(frame: FaultFrame, postgres: PostgresServer): Promise<void> {
  const { run, cluster, prober, random, check, remark, rounds, stalls, limitOf } = frame;
  const leaseMilliseconds = run.leaseSeconds * 1000;
  const times = {
    away: createLatency(),
    write: createLatency(),
    check: createLatency(),
    change: createLatency(),
  };
  let refusedInTime = 0;

  await rounds(async (number) => {
    const stopEnding = keepEnding(frame, cluster.instances, 20);
    await sleep(200 + random.below(400));
    const isLong = number % longOneIn === longOneIn - 1;
    const killedAt = performance.now();
    await postgres.kill();
    if (isLong) {
      await sleep(leaseMilliseconds + 500);
      for (const instance of cluster.instances) {
        const { outcome } = await prober.ask(instance, prober.pickGood());
        check(outcome === 'unavailable', `without a lease the answer was ${outcome}`);
      }
    }
    await postgres.start();
    const acceptedAt = performance.now();
    const awayMilliseconds = acceptedAt - killedAt;
    if (!isLong) times.away.add(awayMilliseconds);
    times.write.add(await untilWritten(frame, number));
    times.check.add(
      Math.max(
        ...(await Promise.all(
          cluster.instances.map((instance) => prober.untilServes(instance, barMilliseconds)),
        )),
      ),
    );
    const probes = cluster.instances.flatMap((instance) => prober.probesOf(instance, killedAt));
    check(!probes.some(({ outcome }) => outcome === 'failed'), 'a client lost its connection');
    const closed = probes.filter(({ outcome }) => outcome === 'unavailable').length;
    const isQuick = awayMilliseconds + renewalsMilliseconds < leaseMilliseconds;
    if (!isLong && isQuick && !stalls.touched(killedAt, performance.now())) refusedInTime += closed;
    await stopEnding();
    await untilEnded(frame, cluster.instances);
    times.change.add(performance.now() - acceptedAt);
  });
  check(
    !isJudged('checks while Postgres restarts in time') || refusedInTime === 0,
    `${refusedInTime} checks got 503 although Postgres was back before the lease ended`,
  );
  check(
    times.write.at(1) <= limitOf(barMilliseconds),
    `the first write took ${times.write.at(1).toFixed(0)} ms`,
  );
  remark(`Postgres away, where it came back at once: ${times.away.text()}`);
  remark(`from there to the first write: ${times.write.text()}`);
  remark(`from the first write until every instance allows: ${times.check.text()}`);
  remark(`from the start to a change that was acknowledged: ${times.change.text()}`);
}

/** The milliseconds to the first success of a write that does not wait. */
async function untilWritten({ cluster, random }: FaultFrame, number: number): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    try {
      const add = [{ method: 'GET', path: `/api/v1/reports/restart/${number}` }];
      await cluster.command(random.pick(cluster.instances), 'POST', `/api/v1/roles/${laneRole.id}/rules`, {
        add,
      });
      return performance.now() - startedAt;
    } catch {
      await sleep(10);
    }
  }
}
