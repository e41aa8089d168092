// The line to Postgres breaks and heals in quick succession for all instances (F28): nothing wrong is granted or
// refused, and no member loads everything again for a broken connection. Postgres's own log counts the loads.
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresServer } from '../../rig/postgres-server.ts';
import type { TcpProxy } from '../../rig/tcp-proxy.ts';
import { createLatency } from '../latency.ts';
import type { OwnScenario } from '../scenario.ts';
import { type FaultFrame, keepEnding, runFault, untilEnded } from './run-fault.ts';
import { withPostgres } from './with-postgres.ts';

const backWithinMilliseconds = 10_000;
/** The first statement of a full load, and of nothing else. */
const loadStatement = /: select "id", "role_key" from "roles"$/gm;

export const flapScenario: OwnScenario = {
  title: 'break the lines to Postgres again and again',
  size: 20,
  instances: 3,
  leaseSeconds: 5,
  run: (run) =>
    withPostgres({ log_statement: 'all' }, async (postgres, proxy) =>
      runFault(run, { server: postgres.url(), databaseUrlOf: (url) => proxy.urlThrough(url) }, (frame) =>
        runFlaps(frame, postgres, proxy),
      ),
    ),
};

async function runFlaps(frame: FaultFrame, postgres: PostgresServer, proxy: TcpProxy): Promise<void> {
  const { run, cluster, prober, random, check, remark, rounds } = frame;
  const countLoads = async () => [...(await postgres.readLog()).matchAll(loadStatement)].length;
  const startLoads = await countLoads();
  // A start that could not connect in time was made again.
  check(startLoads >= run.instances, `${startLoads} full loads for ${run.instances} starts`);
  const connectionsBefore = proxy.acceptedConnections;
  const stopEnding = keepEnding(frame, cluster.instances, 30);
  await rounds(async () => {
    await random.pick([reset, refuse, cut])(proxy, 20 + random.below(300));
    await sleep(20 + random.below(400));
  });
  const back = createLatency();
  for (const instance of cluster.instances)
    back.add(await prober.untilServes(instance, backWithinMilliseconds));
  await stopEnding();
  const change = await untilEnded(frame, cluster.instances);
  const loads = (await countLoads()) - startLoads;
  check(loads === 0, `${loads} full loads for broken connections alone`);
  remark(`${loads} full loads beyond the ${startLoads} of the starts`);
  remark(`${proxy.acceptedConnections - connectionsBefore} connections made in ${run.size} flaps`);
  remark(
    `after the last one: the first allowed request ${back.text()}; a change ${change.milliseconds.toFixed(0)} ms`,
  );
}

async function reset(proxy: TcpProxy): Promise<void> {
  proxy.destroyConnections();
}

async function refuse(proxy: TcpProxy, milliseconds: number): Promise<void> {
  proxy.refuse();
  proxy.destroyConnections();
  await sleep(milliseconds);
  await proxy.accept();
}

async function cut(proxy: TcpProxy, milliseconds: number): Promise<void> {
  proxy.cut('both');
  await sleep(milliseconds);
  proxy.heal();
}
