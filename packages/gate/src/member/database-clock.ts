// Estimates the time of the database's clock: the time at the last report, plus the time since the report was sent. The
// clocks of this machine do not have to be right, they only have to run.
import type { Instant } from './lease.ts';
import { clockDrift, maxClockErrorMilliseconds } from './lease.ts';

export interface DatabaseClock {
  observe(at: number, sentAt: Instant): void;
  /** A time that the database's clock has already shown; -Infinity before the first report. */
  passed(): number;
  /** The latest time that the database's clock can show now; Infinity before the first report. */
  latest(): number;
  /** As `latest`, but without the allowance for a wall clock that was set back: for callers that add the allowance. */
  latestByTrueClocks(): number;
}

export function createDatabaseClock(now: () => Instant): DatabaseClock {
  let last: { readonly at: number; readonly sentAt: Instant } | undefined;

  function latestByTrueClocks(): number {
    if (last === undefined) return Number.POSITIVE_INFINITY;
    const { monotonic, wall } = now();
    // Use the longer time: the monotonic clock stops while a machine is suspended, and the wall clock can be set back.
    const elapsed = Math.max(monotonic - last.sentAt.monotonic, wall - last.sentAt.wall, 0);
    return last.at + elapsed * (1 + clockDrift);
  }

  return {
    observe(at, sentAt) {
      last = { at, sentAt };
    },
    passed: () => last?.at ?? Number.NEGATIVE_INFINITY,
    // A lease tolerates a wall clock that is set back by this much and no more.
    latest: () => latestByTrueClocks() + maxClockErrorMilliseconds,
    latestByTrueClocks,
  };
}
