// Makes a failed schedule short and tells it.
import type { Schedule, Step } from './schedule.ts';
import { violationMeanings } from './violation.ts';
import type { World } from './world.ts';

export interface Counterexample {
  readonly seed: number;
  readonly schedule: number;
  readonly steps: readonly Step[];
}

/** Leaves out steps, first many at once and then one by one, as long as the schedule still fails. */
export function shortenSchedule(runner: Schedule, seed: number, schedule: number): Counterexample {
  const recorded: Step[] = [];
  runner.run(seed, schedule, recorded);
  let steps: readonly Step[] = recorded;
  for (let size = steps.length >> 1; size >= 1; size = size === 1 ? 0 : size >> 1) {
    steps = withoutChunks(runner, seed, schedule, steps, size);
  }
  // A step that could not be left out before may be, once those after it are gone.
  for (let before = 0; before !== steps.length; ) {
    before = steps.length;
    steps = withoutChunks(runner, seed, schedule, steps, 1);
  }
  return { seed, schedule, steps };
}

function withoutChunks(
  runner: Schedule,
  seed: number,
  schedule: number,
  steps: readonly Step[],
  size: number,
): readonly Step[] {
  let kept = steps;
  for (let from = steps.length - size; from >= 0; from -= size) {
    const fewer = [...kept.slice(0, from), ...kept.slice(from + size)];
    const failedAfter = runner.replay(seed, schedule, fewer);
    if (failedAfter > 0) kept = fewer.slice(0, failedAfter);
  }
  return kept;
}

/** One line a step. */
export function tellCounterexample(world: World, runner: Schedule, example: Counterexample): string[] {
  const { seed, schedule, steps } = example;
  runner.replay(seed, schedule, []);
  const rates = [...world.members, ...world.guards, ...world.writers].map(
    ({ rate }) => rate / world.size.trueRate,
  );
  const lines = [
    `seed ${seed}, schedule ${schedule}; a lease is ${world.size.wait / world.size.trueRate} ticks; ` +
      `clocks of members, guards and writers run at ${rates.join(', ')}`,
  ];
  for (const { at, action } of steps) {
    world.t = at;
    action.take();
    lines.push(`t=${String(at).padStart(5)}  ${action.tell()}`);
  }
  runner.replay(seed, schedule, steps);
  lines.push(`=> ${violationMeanings[world.violation] ?? 'nothing is wrong'}`);
  return lines;
}
