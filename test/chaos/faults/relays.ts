// Guards and the instances that answer for them are killed, stopped and sent away while access is taken away: no decision uses an
// old state, a change waits for one lease of each silent guard, and the other guards do not notice.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FromRelay } from '@portcullis/gate';
import { WebSocket } from 'ws';
import { createLatency } from '../latency.ts';
import type { ClusterScenario } from '../scenario.ts';
import { decisionSecret, type Instance } from '../start-cluster.ts';
import { type FaultFrame, faultRules, runFaultOn } from './run-fault.ts';

const guardMilliseconds = 3000;
const hostileMilliseconds = 4500;
const backWithinMilliseconds = 10_000;
const stoppedMilliseconds = 4000;
const guardsOfProcess = 4;

export const relaysScenario: ClusterScenario = {
  title: 'guards and the instances that they ask are killed, stopped, sent away; a hostile guard',
  size: 6,
  instances: 3,
  leaseSeconds: 10,
  rules: faultRules,
  runOn: (cluster, run) =>
    runFaultOn(cluster, run, async (frame) => {
      const { prober, remark, rounds } = frame;
      const times = Object.fromEntries(faults.map(({ name }) => [name, createLatency()]));
      let relay = await cluster.start();
      const ports = () => [...cluster.instances, relay].map(({ server }) => server.decisionPort);
      const steady = await cluster.startGuards(ports(), { count: guardsOfProcess });
      for (const guard of steady) prober.watch(guard);
      await rounds(async (number) => {
        const fault = faults[number % faults.length];
        if (fault === undefined) return;
        const victims = await cluster.startGuards(ports(), { count: guardsOfProcess });
        for (const guard of victims) prober.watch(guard);
        await fault.run({ frame, relay, steady, victims, time: (took) => times[fault.name]?.add(took) });
        for (const guard of victims) await prober.unwatch(guard);
        await victims[0]?.server.stop();
        if (fault.endsRelay) relay = await cluster.start();
      });
      for (const { name } of faults) remark(`${name}: the change ${times[name]?.text()}`);
      for (const guard of steady) await prober.unwatch(guard);
      await steady[0]?.server.stop();
      await relay.server.stop();
    }),
};

interface FaultRound {
  readonly frame: FaultFrame;
  /** One instance more than the cluster has. */
  readonly relay: Instance;
  /** Nothing happens to them. */
  readonly steady: readonly Instance[];
  readonly victims: readonly Instance[];
  readonly time: (milliseconds: number) => void;
}

interface Fault {
  readonly name: string;
  readonly endsRelay?: true;
  readonly run: (round: FaultRound) => Promise<void>;
}

const faults: readonly Fault[] = [
  {
    name: 'a process of guards is killed',
    async run({ frame, victims, time }) {
      for (const guard of victims) await frame.prober.unwatch(guard);
      victims[0]?.server.process.signal('SIGKILL');
      time(await endWithin(frame, guardMilliseconds));
    },
  },
  {
    name: 'a process of guards is stopped for a while',
    async run({ frame, victims, time }) {
      victims[0]?.server.process.signal('SIGSTOP');
      time(await endWithin(frame, guardMilliseconds));
      await sleep(stoppedMilliseconds);
      victims[0]?.server.process.signal('SIGCONT');
      for (const guard of victims) await frame.prober.untilServes(guard, backWithinMilliseconds);
    },
  },
  {
    name: 'an instance is killed',
    endsRelay: true,
    async run({ frame, relay, steady, victims, time }) {
      relay.server.process.signal('SIGKILL');
      time(await endWithin(frame, frame.run.leaseSeconds * 1000));
      for (const guard of [...steady, ...victims])
        await frame.prober.untilServes(guard, backWithinMilliseconds);
    },
  },
  {
    name: 'an instance is stopped for a while',
    async run({ frame, relay, steady, victims, time }) {
      relay.server.process.signal('SIGSTOP');
      time(await endWithin(frame, frame.run.leaseSeconds * 1000));
      relay.server.process.signal('SIGCONT');
      for (const guard of [...steady, ...victims])
        await frame.prober.untilServes(guard, backWithinMilliseconds);
    },
  },
  {
    name: 'an instance is sent away',
    endsRelay: true,
    async run({ frame, relay, time }) {
      const stopped = relay.server.stop();
      time(await endWithin(frame, guardMilliseconds));
      await stopped;
    },
  },
  {
    name: 'a guard renews without following',
    async run({ frame, relay, steady, time }) {
      const line = await openHostileLine(relay);
      const from = performance.now();
      time(await endWithin(frame, hostileMilliseconds));
      for (const guard of steady) {
        const unserved = frame.prober
          .probesOf(guard, from)
          .filter(({ outcome }) => outcome === 'unavailable');
        frame.checkSince(
          from,
          unserved.length === 0,
          `${unserved.length} answers of a guard were 503 beside a hostile one`,
        );
      }
      line.terminate();
    },
  },
];

async function endWithin(frame: FaultFrame, milliseconds: number): Promise<number> {
  const at = performance.now();
  const ending = await frame.prober.endOne(frame.random.pick(frame.cluster.instances));
  frame.check(ending.ended, 'the change was not acknowledged');
  frame.checkSince(
    at,
    ending.milliseconds <= frame.limitOf(milliseconds),
    `the change took ${ending.milliseconds.toFixed(0)} ms`,
  );
  return ending.milliseconds;
}

/** It asks for a lease on its first revision for as long as it gets one, and gives back what is not its own. */
async function openHostileLine({ server }: Instance): Promise<WebSocket> {
  const line = new WebSocket(`ws://127.0.0.1:${server.decisionPort}/guard/v1/line`, {
    headers: { authorization: `Bearer ${decisionSecret}` },
  });
  await once(line, 'open');
  const revision = { n: -1, mark: '' };
  let seq = 0;
  const renew = () => {
    seq += 1;
    line.send(JSON.stringify({ kind: 'renew', seq, ...revision }));
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  line.on('message', (data) => {
    const message = JSON.parse(String(data)) as FromRelay;
    if (message.kind === 'granted') resolve();
    if (message.kind !== 'load' || revision.n >= 0) return;
    Object.assign(revision, { n: message.n, mark: message.mark });
    renew();
  });
  line.send(JSON.stringify({ kind: 'hello', id: randomUUID(), service: 'hostile', version: '0' }));
  const timer = setInterval(renew, 100);
  line.once('close', () => clearInterval(timer));
  renew();
  await promise;
  return line;
}
