// Checks the protocol and its mutations: the protocol must never fail, and every mutation must.
import { exploreAll, type SmallWorld } from './explore-all.ts';
import { exploreAtRandom } from './explore-at-random.ts';
import { type Mutation, mutations, needsGuards, needsLoss, protocol, rulesWith } from './rules.ts';

/** From so many schedules on a run is large. */
const LARGE_RUN = 1_000_000;
/** After so many failures of a mutation, the shortest is shown; a small run stops at the first. */
const ENOUGH_FAILURES = { small: 1, large: 20 };
/** A mutation is caught by its first schedules or by a rare one, so a small run has fewer for the protocol than for those. */
const MUTATION_FACTOR = { small: 4, large: 1 };
/** With guards the clocks matter for a few ticks only. */
const GUARD_MUTATION_FACTOR = { small: 10, large: 1 };
/** Seeds that soon show what few schedules show, for a small run. */
const SOON_CAUGHT: Partial<Record<Mutation, number>> = {
  'earlier-of-another-row': 99,
  'earlier-of-another-incarnation': 4,
  'incarnation-read-late': 136,
  'grant-of-unknown': 15,
  'guard-without-drift-allowance': 105,
};

export interface ModelOptions {
  readonly schedules: number;
  readonly seed: number;
  /** Only these, and not the protocol itself. */
  readonly onlyMutations?: readonly Mutation[];
}

/** A passed case is a schedule or a small world without a violation, or a mutation that was caught. */
export interface ModelResult {
  readonly passed: number;
  readonly failed: number;
}

export function runModel(options: ModelOptions): ModelResult {
  const results: ModelResult[] = [];
  if (options.onlyMutations === undefined) {
    for (const withGuards of [false, true]) results.push(runProtocol(options, withGuards));
    for (const world of smallWorlds(options)) results.push(visitSmallWorld(world));
  }
  for (const mutation of options.onlyMutations ?? mutations) results.push(runMutation(options, mutation));
  return {
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    failed: results.reduce((sum, { failed }) => sum + failed, 0),
  };
}

function runProtocol({ schedules, seed }: ModelOptions, withGuards: boolean): ModelResult {
  const startedAt = performance.now();
  console.log(
    `model: the protocol${withGuards ? ' with guards' : ''}, ${schedules.toLocaleString('en')} schedules, seed ${seed}`,
  );
  const progress = progressOf(schedules);
  const found = exploreAtRandom({
    rules: protocol,
    withGuards,
    losses: 1,
    schedules,
    seed,
    enoughFailures: 100,
    progress,
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const rate = Math.round(found.schedules / seconds).toLocaleString('en');
  console.log(
    `model: ${found.schedules.toLocaleString('en')} schedules, ${found.failed} violations, ${rate} a second`,
  );
  for (const line of found.counterexample) console.error(`  ${line}`);
  let unseen = 0;
  for (const { meaning, schedules: count } of found.sightings.list()) {
    console.log(`  ${count.toLocaleString('en').padStart(12)}  ${meaning}`);
    if (count === 0) unseen += 1;
  }
  if (unseen > 0) console.error(`model: ${unseen} of these were never seen, so the run shows too little`);
  return { passed: found.schedules - found.failed, failed: found.failed + unseen };
}

function smallWorlds({ schedules }: ModelOptions): SmallWorld[] {
  if (sizeOf(schedules) === 'small') return [{ members: 2, writers: 1, writes: 1, failovers: 0 }];
  return [
    { members: 2, writers: 1, writes: 2, failovers: 0 },
    { members: 2, writers: 2, writes: 2, failovers: 0 },
  ];
}

function visitSmallWorld(world: SmallWorld): ModelResult {
  const startedAt = performance.now();
  const { states, transitions, depth, counterexample } = exploreAll(protocol, world);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const { members, writers, writes, failovers } = world;
  console.log(
    `model: every state of ${members} members, ${writers} writers, ${writes} writes, ${failovers} failovers: ` +
      `${states.toLocaleString('en')} states, ${transitions.toLocaleString('en')} steps between them, ` +
      `at most ${depth} from the beginning, ${counterexample.length > 0 ? 'a violation' : '0 violations'}, ${seconds} s`,
  );
  for (const line of counterexample) console.error(`  ${line}`);
  return counterexample.length > 0 ? { passed: 0, failed: 1 } : { passed: 1, failed: 0 };
}

const sizeOf = (schedules: number) => (schedules < LARGE_RUN ? 'small' : 'large');

function runMutation({ seed, ...options }: ModelOptions, mutation: Mutation): ModelResult {
  const size = sizeOf(options.schedules);
  const withGuards = needsGuards(mutation);
  const schedules = options.schedules * (withGuards ? GUARD_MUTATION_FACTOR : MUTATION_FACTOR)[size];
  const { firstFailed, counterexample } = exploreAtRandom({
    rules: rulesWith(mutation),
    withGuards,
    losses: needsLoss(mutation) ? 1 : 0,
    schedules,
    seed: size === 'small' ? (SOON_CAUGHT[mutation] ?? seed) : seed,
    enoughFailures: ENOUGH_FAILURES[size],
    progress: progressOf(schedules),
  });
  if (firstFailed === 0) {
    console.error(
      `model: mutation ${mutation} was NOT caught in ${schedules.toLocaleString('en')} schedules`,
    );
    return { passed: 0, failed: 1 };
  }
  console.log(`model: mutation ${mutation} caught by schedule ${firstFailed.toLocaleString('en')}`);
  for (const line of counterexample) console.log(`  ${line}`);
  return { passed: 1, failed: 0 };
}

function progressOf(schedules: number): (done: number) => void {
  let shownAt = performance.now();
  return (done) => {
    if (performance.now() - shownAt < 10_000) return;
    shownAt = performance.now();
    console.log(`model: ${done.toLocaleString('en')} of ${schedules.toLocaleString('en')}`);
  };
}
