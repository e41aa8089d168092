// SIGKILL of a random instance of three under login load (F11, F12): half at random moments, half at six points of the
// way of a record. Every answered attempt is in the table exactly once, as it was answered.
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../fuzz/random.ts';
import { createLatency } from '../latency.ts';
import { type ChaosResult, type ChaosRun, mostFailures, type OwnScenario } from '../scenario.ts';
import { type AttemptBook, compareWithTable, createAttemptBook, findProblems } from './attempt-book.ts';
import { drainAll } from './drain-all.ts';
import { createLogInstance, type LogInstance, prepareStage, type Stage } from './log-instance.ts';
import { startLoginLoad } from './login-load.ts';
import { armingSignal, type StopPoint, stopPoints, stopPointVariable } from './stop-points.ts';
import { verifyChains } from './verify-chains.ts';

export const logScenario: OwnScenario = {
  title: 'kill instances under login load; every answered attempt is logged once',
  size: 12,
  instances: 3,
  leaseSeconds: 2,
  run: runKills,
};

/** A thousand kills see a million attempts; the few of every change are nearer to each other. */
const attemptsPerKillOf = (kills: number) => (kills < 100 ? 150 : 1000);
/** And while an instance starts, fewer go on at the others. */
const lanesPerInstanceOf = (kills: number) => (kills < 100 ? 12 : 24);
/** Segments are let go of every few seconds; the other points are passed many times a second. */
const patienceMilliseconds = 300_000;
const paceMilliseconds = 20;
/** On a slow machine an account is closed late: the load goes on until it has come to everything, up to so many times as long. */
const mostTimesAsLong = 5;
/** What must have been answered at least, of all attempts. */
const leastShare = 0.1;
const allReasons = [
  'ok',
  'params_invalid',
  'captcha_wrong',
  'credentials_wrong',
  'user_disabled',
  'role_disabled',
  'throttled',
];

interface Victim {
  readonly instance: LogInstance;
  point: StopPoint;
  /** Runs, and is not being killed. */
  isFree: boolean;
}

async function runKills(run: ChaosRun): Promise<ChaosResult> {
  const { size, seed, progress, enter } = run;
  const stage = await prepareStage();
  const random = new Random(seed);
  const book = createAttemptBook();
  const victims = Array.from({ length: run.instances }, (_, place) => createVictim(stage, place));
  const targets = victims.map(({ instance }) => instance);
  const attemptsPerKill = attemptsPerKillOf(size);
  const kills: Record<string, number> = Object.fromEntries(['random', ...stopPoints].map((at) => [at, 0]));
  const starts = createLatency();
  const failures: string[] = [];

  /** The ones that were killed least often come first, so that a small run comes to all of them. */
  const killsAt = (point: StopPoint) => kills[point] ?? 0;
  function nextPoint(): StopPoint {
    const planned = (point: StopPoint) =>
      killsAt(point) + victims.filter((victim) => victim.point === point).length;
    return stopPoints.reduce((least, point) => (planned(point) < planned(least) ? point : least));
  }
  function pickVictim(isAtPoint: boolean): Victim {
    const free = victims.filter(({ isFree }) => isFree);
    if (!isAtPoint) return random.pick(free);
    return free.reduce((least, some) => (killsAt(some.point) < killsAt(least.point) ? some : least));
  }

  async function start(victim: Victim): Promise<void> {
    victim.point = nextPoint();
    const startedAt = performance.now();
    await victim.instance.start({ [stopPointVariable]: victim.point });
    starts.add(performance.now() - startedAt);
    victim.isFree = true;
  }

  /** Half of them at the instance's point, half wherever it is. */
  async function kill(victim: Victim, isAtPoint: boolean): Promise<void> {
    const { instance, point } = victim;
    const { server } = instance;
    if (server === undefined) throw new Error('An instance ended without a kill.');
    victim.isFree = false;
    if (isAtPoint) {
      server.process.signal(armingSignal);
      const giveUp = new AbortController();
      const isDead = await Promise.race([
        server.process.exited.then(() => true),
        sleep(patienceMilliseconds, false, { signal: giveUp.signal }).catch(() => false),
      ]);
      giveUp.abort();
      if (!isDead) failures.push(`an instance did not come to ${point}`);
    }
    await instance.kill();
    const at = isAtPoint ? point : 'random';
    kills[at] = (kills[at] ?? 0) + 1;
    await start(victim);
  }

  const startedAt = performance.now();
  try {
    await Promise.all(victims.map(start));
    enter('work');
    const load = startLoginLoad({ targets, lanesPerTarget: lanesPerInstanceOf(size), book, seed });
    const killing: Promise<void>[] = [];
    for (let number = 0; number < size && failures.length < mostFailures; number += 1) {
      while (book.answered < number * attemptsPerKill || !victims.some(({ isFree }) => isFree))
        await sleep(paceMilliseconds);
      const isAtPoint = number % 2 === 1;
      killing.push(
        kill(pickVictim(isAtPoint), isAtPoint).catch((error) => void failures.push(String(error))),
      );
      progress(number + 1);
    }
    const enough = size * attemptsPerKill;
    const isOver = () =>
      book.answered >= enough &&
      (missingReasons(book).length === 0 || book.answered >= enough * mostTimesAsLong);
    while (!isOver() && failures.length < mostFailures) await sleep(paceMilliseconds);
    await Promise.all(killing);
    await load.stop();
    failures.push(...load.failures.slice(0, mostFailures));
    const loadSeconds = (performance.now() - startedAt) / 1000;
    for (const instance of targets) await instance.kill();

    const drain = await drainAll(stage);
    const comparison = await compareWithTable(stage.database, book);
    failures.push(...drain.failures, ...findProblems(comparison), ...findGaps(book));
    const chains = await verifyChains(stage.database);
    failures.push(...chains.failures);
    const reasons = Object.entries(book.countReasons()).map(([reason, count]) => `${reason} ${count}`);
    return {
      passed: failures.length === 0 ? size : 0,
      failures: failures.slice(0, mostFailures),
      remarks: [
        `${book.answered.toLocaleString('en')} answered attempts of ${book.sent.toLocaleString('en')} in ${loadSeconds.toFixed(0)} s (${(book.answered / loadSeconds).toFixed(0)} a second): ${reasons.join(', ')}`,
        `${comparison.missing} missing, ${comparison.doubled} doubled, ${comparison.wrong} wrong; ${comparison.unanswered} of ${book.sent - book.answered} without an answer are logged`,
        `kills: ${Object.entries(kills)
          .map(([at, count]) => `${at} ${count}`)
          .join(', ')}`,
        `an instance starts: ${starts.text()}`,
        drain.remark,
        chains.remark,
      ],
    };
  } finally {
    enter('end');
    for (const instance of targets) await instance.kill();
    await stage.close();
  }
}

/** The last one asks for captchas. */
function createVictim({ database, spoolFolder }: Stage, place: number): Victim {
  const instance = createLogInstance({
    databaseUrl: database.url,
    spoolFolder,
    captchaRequired: place === 2,
    preload: 'stop-at.ts',
  });
  return { instance, point: 'before-write', isFree: false };
}

function missingReasons(book: AttemptBook): string[] {
  const counts = book.countReasons();
  return allReasons.filter((reason) => counts[reason] === undefined);
}

/** A load that did not come to everything shows nothing. */
function findGaps(book: AttemptBook): string[] {
  const counts = book.countReasons();
  // Where a captcha is required, nothing else is looked at; nor where a machine that stands still leaves no time for it.
  const looked = book.answered - (counts.captcha_wrong ?? 0) - (counts.unavailable ?? 0);
  const least = looked * leastShare;
  return [
    ...missingReasons(book).map((reason) => `no attempt was ${reason}`),
    ...['ok', 'credentials_wrong']
      .filter((reason) => (counts[reason] ?? 0) < least)
      .map((reason) => `only ${counts[reason]} attempts were ${reason}`),
    ...Object.keys(counts).filter((reason) => reason.startsWith('impossible')),
  ];
}
