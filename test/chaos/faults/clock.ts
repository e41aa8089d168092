// A machine whose clock is wrong (F17): an instance does not start by it, and one whose clock jumps leaves the rotation
// before it takes a token for younger than it is. Only wall time is faked, as a jump of NTP would: by libfaketime.
import { globSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { businessService, startProcess } from '../../rig/start-process.ts';
import { baseSettings, standstillText } from '../../rig/start-server.ts';
import { createLatency } from '../latency.ts';
import type { ChaosRun, ClusterScenario } from '../scenario.ts';
import { askAgain, patienceMilliseconds } from '../send-again.ts';
import { bearer, type Cluster, type Instance, outcomeOf } from '../start-cluster.ts';
import { checkHealthy, type FaultFrame, faultRules, runFaultOn, untilEnded } from './run-fault.ts';

/** Seconds by which a clock is off when an instance starts; any one of them must keep it from starting. */
const wrongStarts = [-30, 30, -600, 600];
/** Where the clock stands one after the other; the last but one creeps there in steps that are each small enough. */
const jumps: readonly (readonly number[])[] = [[600], [-600], [30], [-30], [-1.5, -3], [1.5, 3]];
const leewaySeconds = 5;
const exitConfiguration = 78;
const askers = 4;
const askPauseMilliseconds = 10;

export const clockScenario: ClusterScenario = {
  title: 'start with a wrong clock, and let the clock jump',
  size: 1,
  instances: 3,
  leaseSeconds: 2,
  rules: faultRules,
  runOn: runClock,
};

async function runClock(cluster: Cluster, run: ChaosRun) {
  const library = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0];
  if (library === undefined)
    return {
      passed: 0,
      failures: [`libfaketime is missing: install Debian's package faketime`],
      remarks: [],
    };
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-clock-'));
  const clock = createClock(library, join(directory, 'offset'));
  try {
    return await runFaultOn(cluster, run, async (frame) => {
      await refuseStarts(frame, clock);
      await runJumps(frame, clock);
    });
  } finally {
    await rm(directory, { recursive: true });
  }
}

interface Clock {
  /** Settings of a process that goes by this clock. */
  readonly settings: Readonly<Record<string, string>>;
  /** By how many seconds it is off from now on. */
  set(seconds: number): Promise<void>;
}

function createClock(library: string, file: string): Clock {
  return {
    settings: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    async set(seconds) {
      await writeFile(`${file}.next`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
      await rename(`${file}.next`, file);
    },
  };
}

async function startOnce(cluster: Cluster, clock: Clock) {
  const process = startProcess({
    script: businessService,
    environment: { ...baseSettings(cluster.database.url), CLUSTER_LEASE_SECONDS: '2', ...clock.settings },
  });
  const code = await Promise.race([process.exited, sleep(patienceMilliseconds, 'no exit', { ref: false })]);
  process.signal('SIGKILL');
  return { code, output: process.output };
}

async function refuseStarts(frame: FaultFrame, clock: Clock): Promise<void> {
  const { cluster, check, remark } = frame;
  for (const seconds of wrongStarts) {
    await clock.set(seconds);
    // One that could not connect in time, on a machine that stood still, has not come to its clock.
    const { code, output } = await askAgain(
      () => startOnce(cluster, clock),
      (end) => end.code !== exitConfiguration && standstillText.test(end.output),
    );
    check(code === exitConfiguration, `with a clock off by ${seconds} s a start ended with ${code}`);
    check(/clock of this host differs .*NTP/.test(output), `its text does not say what to do: ${output}`);
  }
  const rows = await cluster.database.query('select from instances');
  // A member that was silent for longer than its lease is not there either, until it comes again.
  check(
    rows.length <= cluster.instances.length,
    `${rows.length - cluster.instances.length} starts that were refused are still registered`,
  );
  const [writer] = cluster.instances;
  if (writer === undefined) return;
  const { milliseconds } = await untilEnded(frame, [writer]);
  remark(`the first change after ${wrongStarts.length} refused starts: ${milliseconds.toFixed(0)} ms`);
}

async function runJumps(frame: FaultFrame, clock: Clock): Promise<void> {
  const { cluster, prober, check, remark, rounds } = frame;
  await clock.set(0);
  const instance = await cluster.start({ settings: clock.settings });
  prober.watch(instance);
  await prober.untilServes(instance, 10_000);
  const times = { left: createLatency(), back: createLatency() };
  const asked = { count: 0 };
  const aging = await issueAging(cluster, instance);

  await rounds(async () => {
    for (const jump of jumps) {
      const since = performance.now();
      const stopAsking = keepAskingExpired(frame, instance, [...issueExpired(cluster), aging], asked);
      for (const seconds of jump) {
        // One that is being decided just then has its lease by one time and its token by the other: it may be refused.
        await prober.unwatch(instance);
        await clock.set(seconds);
        prober.watch(instance);
        await sleep(250);
      }
      times.left.add(await untilUnready(frame, instance, jump));
      await untilEnded(frame, cluster.instances);
      await sleep(500);
      const { outcome } = await prober.ask(instance, prober.pickGood());
      check(outcome === 'unavailable', `a clock off by ${jump.at(-1)} s: the answer was ${outcome}`);
      await stopAsking();
      await clock.set(0);
      times.back.add(await prober.untilServes(instance, 10_000));
      checkHealthy(frame, cluster.instances, since);
    }
  });
  await prober.unwatch(instance);
  await instance.server.stop();
  remark(
    `${asked.count.toLocaleString('en')} requests with tokens that had expired more than ${leewaySeconds} s ago`,
  );
  remark(`from the last step of a jump until it is not ready: ${times.left.text()}`);
  remark(`from the right time to the first allowed request: ${times.back.text()}`);
}

interface Expiring {
  readonly token: string;
  /** Milliseconds since 1970, by the clock that is right. */
  readonly expiresAt: number;
}

function issueExpired(cluster: Cluster): Expiring[] {
  return [leewaySeconds + 1, 60, 500].map((ago) => issueUntil(cluster, -ago));
}

/** One that the instance has accepted, and so remembers, while it lived. */
async function issueAging(cluster: Cluster, instance: Instance): Promise<Expiring> {
  const { outcome, aging } = await askAgain(
    async () => {
      const issued = issueUntil(cluster, 5);
      const headers = bearer(issued.token);
      return { aging: issued, outcome: await outcomeOf(instance, { path: '/api/v1/orders', headers }) };
    },
    // Without a lease it says nothing, and a machine that stands still may outlive the token.
    (asked) => asked.outcome === 'unavailable' || Date.now() > asked.aging.expiresAt,
  );
  if (outcome !== 'allowed') throw new Error(`A token that lives was ${outcome}.`);
  return aging;
}

function issueUntil(cluster: Cluster, seconds: number): Expiring {
  const exp = Math.floor(Date.now() / 1000) + seconds;
  return { token: cluster.issue(2, { iat: exp - 3600, exp }), expiresAt: exp * 1000 };
}

/** Any success with a token that is over by more than the leeway is a failure, whatever the instance's clock says. */
function keepAskingExpired(
  { random, check }: FaultFrame,
  instance: Instance,
  tokens: readonly Expiring[],
  asked: { count: number },
): () => Promise<void> {
  let isOn = true;
  async function go(): Promise<void> {
    for (; isOn; await sleep(askPauseMilliseconds)) {
      const { token, expiresAt } = random.pick(tokens);
      const isOver = Date.now() > expiresAt + leewaySeconds * 1000;
      const outcome = await outcomeOf(instance, { path: '/api/v1/orders', headers: bearer(token) });
      if (!isOver) continue;
      asked.count += 1;
      check(outcome !== 'allowed', 'a token was accepted more than 5 s after it had expired');
    }
  }
  const going = Promise.all(Array.from({ length: askers }, go));
  going.catch(() => {});
  return async () => {
    isOn = false;
    await going;
  };
}

async function untilUnready(
  { run, check, limitOf }: FaultFrame,
  { server }: Instance,
  jump: readonly number[],
) {
  const startedAt = performance.now();
  for (;;) {
    const { status } = await fetch(`http://127.0.0.1:${server.opsPort}/readyz`).catch(() => ({ status: 0 }));
    const milliseconds = performance.now() - startedAt;
    if (status === 503) return milliseconds;
    if (milliseconds > Math.min(limitOf(run.leaseSeconds * 1000), patienceMilliseconds)) {
      check(false, `with a clock off by ${jump.at(-1)} s it stays ready`);
      return milliseconds;
    }
    await sleep(5);
  }
}
