// How long an instance may go by what it has in memory. Measured on two clocks of its own, because each can lie: the
// monotonic one stops while a machine is suspended, the wall clock can be set.

export interface Instant {
  readonly monotonic: number;
  readonly wall: number;
}

export interface Lease {
  now(): Instant;
  /** Counts from before the question was sent, never from when its answer came. For its own time, unless another is given. */
  extend(sentAt: Instant, milliseconds?: number): void;
  /** The same, and nothing of what was before counts any more. */
  replace(sentAt: Instant, milliseconds: number): void;
  drop(): void;
  isLive(): boolean;
  /** 0 where it is not live. */
  remainingMilliseconds(): number;
}

/** What no instance and no guard may exceed: whoever cannot know the others' leases waits for this. */
export const longestLeaseMilliseconds = 10_000;
/** How much faster than ours the clock of whoever waits for our lease to end may run. */
export const clockDrift = 0.02;
/** A wall clock that goes back by more than this would keep ended tokens alive. */
export const maxClockErrorMilliseconds = 2000;

export function createLease(milliseconds: number, now: () => Instant): Lease {
  let usableMilliseconds = 0;
  let from: Instant | undefined;

  function replace(sentAt: Instant, given: number): void {
    from = sentAt;
    usableMilliseconds = Math.min(given, milliseconds) * (1 - clockDrift);
  }

  function isLive(): boolean {
    if (from === undefined) return false;
    const at = now();
    const elapsed = at.monotonic - from.monotonic;
    const elapsedByWall = at.wall - from.wall;
    return (
      elapsed < usableMilliseconds &&
      elapsedByWall < usableMilliseconds &&
      elapsedByWall > elapsed - maxClockErrorMilliseconds
    );
  }

  return {
    now,
    extend(sentAt, given = milliseconds) {
      const endsAt = sentAt.monotonic + Math.min(given, milliseconds) * (1 - clockDrift);
      if (from === undefined || endsAt > from.monotonic + usableMilliseconds) replace(sentAt, given);
    },
    replace,
    drop() {
      from = undefined;
    },
    isLive,
    remainingMilliseconds() {
      if (from === undefined || !isLive()) return 0;
      const at = now();
      const elapsed = Math.max(at.monotonic - from.monotonic, at.wall - from.wall);
      return Math.max(0, usableMilliseconds - elapsed);
    },
  };
}
