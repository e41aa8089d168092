// Runs many random schedules of one set of rules.
import { createActions } from './actions.ts';
import { type Counterexample, shortenSchedule, tellCounterexample } from './counterexample.ts';
import { createRandom } from './random.ts';
import type { Rules } from './rules.ts';
import { createSchedule } from './schedule.ts';
import { createSightings, type Sightings } from './sightings.ts';
import { createWorld, type Size } from './world.ts';

/** A lease of 1,000 ticks; the clocks are off by one in a hundred at most. */
const size = {
  members: 3,
  guards: 0,
  reports: 2,
  writers: 2,
  writes: 5,
  failovers: 2,
  crashes: true,
  oneAtATime: false,
  trueRate: 1000,
  wait: 1_000_000,
  shortWait: 900_000,
  lease: 980_000,
  leaseWithoutAllowance: 1_000_000,
  grant: 300_000,
} satisfies Omit<Size, 'losses'>;

/** Two members that give leases, so that a guard may change from one to the other. */
const sizeWithGuards = { ...size, members: 2, guards: 1, writers: 1, writes: 3, failovers: 2 } satisfies Omit<
  Size,
  'losses'
>;

export interface Exploration {
  readonly schedules: number;
  readonly failed: number;
  /** The number of the first schedule that failed, counted from 1, or 0. */
  readonly firstFailed: number;
  /** The shortest of those that were found, in words. */
  readonly counterexample: readonly string[];
  readonly sightings: Sightings;
}

interface Options {
  readonly rules: Rules;
  readonly withGuards: boolean;
  /** How many failovers of a schedule may lose revisions. */
  readonly losses: number;
  readonly schedules: number;
  readonly seed: number;
  /** After so many failures the rest is not run. */
  readonly enoughFailures: number;
  readonly progress: (done: number) => void;
}

export function exploreAtRandom({
  rules,
  withGuards,
  losses,
  schedules,
  seed,
  enoughFailures,
  progress,
}: Options): Exploration {
  const world = createWorld(rules, { ...(withGuards ? sizeWithGuards : size), losses });
  const runner = createSchedule(world, createActions(world), createRandom());
  const sightings = createSightings(withGuards);
  let failed = 0;
  let firstFailed = 0;
  let done = 0;
  let shortest: Counterexample | undefined;
  while (done < schedules && failed < enoughFailures) {
    done += 1;
    const passed = runner.run(seed, done);
    sightings.count(world.sighted);
    if ((done & 0xffff) === 0) progress(done);
    if (passed) continue;
    failed += 1;
    if (firstFailed === 0) firstFailed = done;
    const example = shortenSchedule(runner, seed, done);
    if (shortest === undefined || example.steps.length < shortest.steps.length) shortest = example;
  }
  const counterexample = shortest === undefined ? [] : tellCounterexample(world, runner, shortest);
  return { schedules: done, failed, firstFailed, counterexample, sightings };
}
