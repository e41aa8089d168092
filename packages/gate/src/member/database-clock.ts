// The latest that the clock of the database can show now: what it showed at a report, and what has passed since before
// the report was sent. No clock of this machine has to be right, only to run.
import type { Instant } from './lease.ts';
import { clockDrift, maxClockErrorMilliseconds } from './lease.ts';

export interface DatabaseClock {
  observe(at: number, sentAt: Instant): void;
  /** What it has shown already; -Infinity while nothing is known of it. */
  passed(): number;
  /** Infinity while nothing is known of it. */
  latest(): number;
  /** The same but for a clock of this machine that was set: for who allows for that by itself. */
  latestByTrueClocks(): number;
}

export function createDatabaseClock(now: () => Instant): DatabaseClock {
  let last: { readonly at: number; readonly sentAt: Instant } | undefined;

  function latestByTrueClocks(): number {
    if (last === undefined) return Number.POSITIVE_INFINITY;
    const { monotonic, wall } = now();
    // The longer one counts: the monotonic clock stops while a machine is suspended, the wall clock can be set back.
    const elapsed = Math.max(monotonic - last.sentAt.monotonic, wall - last.sentAt.wall, 0);
    return last.at + elapsed * (1 + clockDrift);
  }

  return {
    observe(at, sentAt) {
      last = { at, sentAt };
    },
    passed: () => last?.at ?? Number.NEGATIVE_INFINITY,
    // By no more than the error that a lease allows.
    latest: () => latestByTrueClocks() + maxClockErrorMilliseconds,
    latestByTrueClocks,
  };
}
