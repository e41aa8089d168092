// Runs schedules until there are enough of them, or of violations.
import type { Product } from './product.ts';
import { runSchedule } from './schedule.ts';
import type { Sighting } from './sightings.ts';

interface ExploreOptions {
  readonly product: Product;
  readonly seed: number;
  readonly schedules: number;
  readonly mostViolations: number;
  readonly progress?: (done: number) => void;
}

export interface Explored {
  readonly schedules: number;
  readonly events: number;
  /** The numbers of the schedules, in order. */
  readonly violations: readonly { readonly number: number; readonly violation: string }[];
  /** How many schedules showed it. */
  readonly sighted: ReadonlyMap<Sighting, number>;
}

export async function explore(options: ExploreOptions): Promise<Explored> {
  const { product, seed, mostViolations, progress = () => {} } = options;
  const sighted = new Map<Sighting, number>();
  const violations = [];
  let schedules = 0;
  let events = 0;
  while (schedules < options.schedules && violations.length < mostViolations) {
    schedules += 1;
    const result = await runSchedule({ product, seed, number: schedules });
    events += result.events;
    for (const sighting of result.sighted) sighted.set(sighting, (sighted.get(sighting) ?? 0) + 1);
    if (result.violation !== undefined) violations.push({ number: schedules, violation: result.violation });
    progress(schedules);
  }
  return { schedules, events, violations, sighted };
}
