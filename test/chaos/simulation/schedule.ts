// One schedule, from its number: each event with all that follows from it at once, and then a look whether the promise
// holds.
import { createChance } from './chance.ts';
import { planSchedule } from './plan-schedule.ts';
import type { Product } from './product.ts';
import type { Sighting } from './sightings.ts';
import { createWorld, findViolation } from './world.ts';

export interface ScheduleResult {
  readonly violation: string | undefined;
  readonly sighted: ReadonlySet<Sighting>;
  readonly events: number;
}

interface ScheduleOptions {
  readonly product: Product;
  readonly seed: number;
  readonly number: number;
  readonly tell?: (line: string) => void;
}

export async function runSchedule({ product, seed, number, tell }: ScheduleOptions): Promise<ScheduleResult> {
  const world = createWorld({ product, chance: createChance(seed, number), tell });
  const plan = planSchedule(world);
  let events = 0;
  let violation: string | undefined;
  await eachAfterAllPromises(() => {
    violation = findViolation(world);
    if (violation !== undefined || plan.isOver()) return false;
    events += 1;
    return world.step();
  });
  if (violation !== undefined) world.tell(() => `VIOLATION: ${violation}`);
  return { violation, sighted: world.sighted, events };
}

/**
 * Until it says false. No step begins before every promise has done what the one before led to: the queue of microtasks is
 * worked off in whole before the next tick, and a tick is asked for from within that queue.
 */
function eachAfterAllPromises(step: () => boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const nothing = Promise.resolve();
  const askForTick = () => process.nextTick(next);
  function next(): void {
    try {
      if (step()) void nothing.then(askForTick);
      else resolve();
    } catch (error) {
      reject(error);
    }
  }
  process.nextTick(next);
  return promise;
}
