// A process that stands still (SIGSTOP, a long collection, a migrated machine) and goes on (F23). What was taken away
// meanwhile must not be granted to the requests that waited in its socket.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLatency } from '../latency.ts';
import type { Probe } from '../prober.ts';
import type { ClusterScenario } from '../scenario.ts';
import type { Instance } from '../start-cluster.ts';
import { checkHealthy, type FaultFrame, faultRules, runFaultOn } from './run-fault.ts';

/** One round in so many pauses shorter than the lease: then the change waits for the report and not for the lease. */
const shortOneIn = 5;
const waitingRequests = 5;
type Outcome = Probe['outcome'];
/** A writer whose own lease ran out, as on a machine that stands still, acknowledges nothing: then the pause shows nothing. */
const mostPauses = 20;

export const pauseScenario: ClusterScenario = {
  title: 'stop a process, take something away on another, let it go on',
  size: 5,
  instances: 3,
  leaseSeconds: 2,
  rules: faultRules,
  runOn: (cluster, run) => runFaultOn(cluster, run, runPauses),
};

async function runPauses(frame: FaultFrame): Promise<void> {
  const { run, cluster, prober, random, check, remark, rounds, limitOf } = frame;
  const times = { long: createLatency(), short: createLatency(), back: createLatency() };
  await rounds(async (number) => {
    const victim = random.pick(cluster.instances);
    const healthy = cluster.instances.filter((instance) => instance !== victim);
    const since = performance.now();
    const isShort = number % shortOneIn === shortOneIn - 1;
    const pauseOnce = async () => {
      await stopProcess(victim);
      return await changeDuringPause(frame, victim, {
        writer: random.pick(healthy),
        shortMilliseconds: isShort ? (run.leaseSeconds * 1000) / 4 : undefined,
      }).finally(() => victim.server.process.signal('SIGCONT'));
    };
    let change = await pauseOnce();
    for (let pauses = 1; !change.ended && pauses < mostPauses; pauses += 1) {
      for (const instance of cluster.instances) await prober.untilServes(instance, 10_000);
      change = await pauseOnce();
    }
    const { ended, milliseconds, outcomes } = change;
    check(ended, `round ${number}: no change was acknowledged in ${mostPauses} pauses`);
    const limit = limitOf((run.leaseSeconds * 1000) / (isShort ? 4 : 1));
    check(milliseconds <= limit, `the change took ${milliseconds.toFixed(0)} ms beside a paused instance`);
    check(!outcomes.includes('allowed'), `round ${number}: allowed to a request that had waited`);
    (isShort ? times.short : times.long).add(milliseconds);
    times.back.add(await prober.untilServes(victim, 10_000));
    checkHealthy(frame, healthy, since);
  });
  remark(`the change beside an instance that pauses for longer than the lease: ${times.long.text()}`);
  remark(`the change beside one that pauses for a quarter of it: ${times.short.text()}`);
  remark(`from SIGCONT to the first allowed request: ${times.back.text()}`);
}

/** The same subject is asked for before and after the call, and a long pause lets none of it be read before its end. */
async function changeDuringPause(
  { run, prober, check, checkSince }: FaultFrame,
  victim: Instance,
  { writer, shortMilliseconds }: { writer: Instance; shortMilliseconds: number | undefined },
) {
  const subject = prober.pickGood();
  const since = performance.now();
  const askWaiting = () => Array.from({ length: waitingRequests }, () => prober.ask(victim, subject));
  const ending = prober.endOne(writer, subject);
  const before = askWaiting();
  if (shortMilliseconds !== undefined) {
    const early = await Promise.race([ending, sleep(shortMilliseconds)]);
    // One that took as long as the lease has waited for it, however long this process slept.
    check(
      early?.ended !== true || early.milliseconds >= run.leaseSeconds * 1000,
      'the change did not wait for an instance whose lease was still live',
    );
    victim.server.process.signal('SIGCONT');
  }
  const { ended, milliseconds } = await ending;
  checkSince(since, ended, 'the change was not acknowledged beside a paused instance');
  const after = ended ? askWaiting() : [];
  await sleep(100);
  victim.server.process.signal('SIGCONT');
  const answers = await Promise.all([...before, ...after]);
  if (!ended) return { ended, milliseconds, outcomes: [] as Outcome[] };
  const held = shortMilliseconds === undefined ? answers : answers.slice(before.length);
  await prober.untilRefused(victim, subject);
  return { ended, milliseconds, outcomes: held.map(({ outcome }) => outcome) satisfies Outcome[] };
}

async function stopProcess({ server }: Instance): Promise<void> {
  server.process.signal('SIGSTOP');
  const state = () => readFileSync(`/proc/${server.process.pid}/stat`, 'utf8').split(') ')[1]?.[0];
  while (state() !== 'T') await sleep(1);
}
