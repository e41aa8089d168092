// The frame of every fault: a cluster, the prober's traffic on all of its instances, and at the end the question that
// no fault excuses: is everything that was acknowledged as taken away still refused everywhere, also after a restart.
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../fuzz/random.ts';
import { isJudged, judgesTimes } from '../../rig/judges-times.ts';
import { type Ending, type Prober, startProber } from '../prober.ts';
import { type ChaosResult, type ChaosRun, mostFailures } from '../scenario.ts';
import { askAgain } from '../send-again.ts';
import { type Cluster, type ClusterOptions, type Instance, startCluster } from '../start-cluster.ts';
import { type StallWatch, watchStalls } from './stall-watch.ts';

export interface FaultFrame {
  readonly run: ChaosRun;
  readonly cluster: Cluster;
  readonly prober: Prober;
  readonly random: Random;
  /** A failure where it is not so. */
  check(isSo: boolean, otherwise: string): void;
  /** The same of what healthy instances did since then, where times are judged and the machine itself did not stand still. */
  checkSince(since: number, isSo: boolean, otherwise: string): void;
  readonly stalls: StallWatch;
  remark(text: string): void;
  /** The bar of what is to take so many milliseconds: a second more, and whatever this process itself stood still for. None where times are not judged. */
  limitOf(milliseconds: number): number;
  /** Runs the rounds, until there are enough failures to look for the fault. */
  rounds(round: (number: number) => Promise<void>): Promise<void>;
}

interface FaultOptions {
  /** Whether everything is asked once more of instances that started after the faults. */
  readonly restarts?: boolean;
  readonly prober?: Pick<Parameters<typeof startProber>[0], 'perSecond' | 'subjects'>;
}

/** Few enough that a fault is about the fault and not about the load; `barrier` has the large rule set. */
export const faultRules = judgesTimes ? 10_000 : 2000;

/** On a cluster of the fault's own. */
export async function runFault(
  run: ChaosRun,
  { restarts = false, prober = {}, ...options }: FaultOptions & Partial<ClusterOptions>,
  body: (frame: FaultFrame) => Promise<void>,
): Promise<ChaosResult> {
  const { instances, leaseSeconds } = run;
  const cluster = await startCluster({ rules: faultRules, ...options, instances, leaseSeconds });
  try {
    return await runFaultOn(cluster, run, body, { restarts, prober });
  } finally {
    run.enter('end');
    await cluster.stop();
  }
}

export async function runFaultOn(
  cluster: Cluster,
  run: ChaosRun,
  body: (frame: FaultFrame) => Promise<void>,
  { restarts = false, prober: proberOptions = {} }: FaultOptions = {},
): Promise<ChaosResult> {
  const failures: string[] = [];
  const remarks: string[] = [];
  const random = new Random(run.seed);
  const prober = await startProber({ cluster, random, ...proberOptions });
  const stalls = watchStalls();
  run.enter('work');
  try {
    const check = (isSo: boolean, otherwise: string) => void (isSo || failures.push(otherwise));
    const isEnough = () => failures.length + prober.failures.length >= mostFailures;
    for (const instance of cluster.instances) prober.watch(instance);
    await body({
      run,
      cluster,
      prober,
      random,
      check,
      checkSince: (since, isSo, otherwise) =>
        check(
          !isJudged('what a stall of the machine may cause') ||
            isSo ||
            stalls.touched(since, performance.now()),
          otherwise,
        ),
      stalls,
      remark: (text) => void remarks.push(text),
      limitOf: (milliseconds) =>
        isJudged('limits of time during a fault')
          ? milliseconds + 1000 + stalls.longestMilliseconds
          : Number.POSITIVE_INFINITY,
      async rounds(round) {
        for (let number = 0; number < run.size && !isEnough(); number += 1) {
          await round(number);
          run.progress(number + 1);
        }
      },
    });
    await prober.stop();
    remarks.push(tellTraffic(prober, cluster.instances));
    remarks.push(`the longest stall of this process itself: ${stalls.longestMilliseconds.toFixed(0)} ms`);
    failures.push(...prober.failures.slice(0, mostFailures));
    for (const { server } of cluster.instances) {
      const hasEnded = await Promise.race([server.process.exited.then(() => true), false]);
      check(!hasEnded, `an instance ended:\n${server.process.output.slice(-2000)}`);
    }
    await checkRevived(prober, cluster.instances, 'on an instance', check);
    if (restarts) await checkRevived(prober, await restartAll(cluster), 'after a restart', check);
    check(prober.counts.ended > 0, 'nothing was ended: the scenario shows nothing');
  } finally {
    stalls.stop();
    // Where the body threw, there is no wait for answers that may never come.
    void prober.stop();
  }
  return { passed: Math.max(0, run.size - failures.length), failures, remarks };
}

async function checkRevived(
  prober: Prober,
  instances: readonly Instance[],
  where: string,
  check: FaultFrame['check'],
): Promise<void> {
  const revived = await prober.countRevived(instances);
  check(revived === 0, `${revived} of ${prober.counts.ended} ended subjects were not refused ${where}`);
}

async function restartAll(cluster: Cluster): Promise<Instance[]> {
  await Promise.all(cluster.instances.map(({ server }) => server.stop()));
  return [await cluster.start()];
}

function tellTraffic(prober: Prober, instances: readonly Instance[]): string {
  const probes = instances.flatMap((instance) => prober.probesOf(instance));
  const count = (outcome: string) =>
    probes.filter((probe) => probe.outcome === outcome).length.toLocaleString('en');
  const { ended, unknown } = prober.counts;
  return `${probes.length.toLocaleString('en')} checks: ${count('allowed')} allowed, ${count('refused')} refused, ${count('unavailable')} unavailable, ${count('failed')} without an answer; ${ended} changes acknowledged, ${unknown} unknown; ${prober.failures.length} contradictions`;
}

/** A healthy instance has neither a 503 nor a broken connection, but where the machine stands still so long that leases end. */
export function checkHealthy(
  { prober, check, stalls }: FaultFrame,
  instances: readonly Instance[],
  since: number,
): void {
  const bad = instances
    .flatMap((instance) => prober.probesOf(instance, since))
    .filter(({ outcome }) => outcome === 'unavailable' || outcome === 'failed')
    .filter(({ sentAt, milliseconds }) => !stalls.touched(sentAt, sentAt + milliseconds)).length;
  check(
    !isJudged('checks on instances that nothing happened to') || bad === 0,
    `${bad} checks failed on instances that nothing had happened to`,
  );
}

/** Ends one subject after the other on random instances until the result is called. */
export function keepEnding(
  { prober, random }: FaultFrame,
  instances: readonly Instance[],
  pauseMilliseconds: number,
): () => Promise<void> {
  let isOn = true;
  async function go(): Promise<void> {
    while (isOn) {
      await prober.endOne(random.pick(instances));
      await sleep(pauseMilliseconds);
    }
  }
  const going = go();
  going.catch(() => {});
  return async () => {
    isOn = false;
    await going;
  };
}

/** The first call of this kind that is acknowledged, with the milliseconds since the first that was made. */
export async function untilEnded(
  { prober, random }: FaultFrame,
  writers: readonly Instance[],
): Promise<Ending> {
  const startedAt = performance.now();
  const ending = await askAgain(
    () => prober.endOne(random.pick(writers)),
    ({ ended }) => !ended,
  );
  return { ...ending, milliseconds: performance.now() - startedAt };
}
