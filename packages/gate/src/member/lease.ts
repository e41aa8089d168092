// Lease: how long a process is allowed to decide with the access that it has in memory. The lease is measured on two
// clocks, because each can be wrong: the monotonic clock stops while a machine is suspended, and the wall clock can be set.

export interface Instant {
  readonly monotonic: number;
  readonly wall: number;
}

export interface Lease {
  now(): Instant;
  /**
   * Extends the lease, never shortens it. The time counts from the sending of the request, not from the arrival of the
   * answer. Without `milliseconds`, the lease has its full length.
   */
  extend(sentAt: Instant, milliseconds?: number): void;
  /** As `extend`, but discards the previous lease, so it can also shorten. */
  replace(sentAt: Instant, milliseconds: number): void;
  drop(): void;
  isLive(): boolean;
  /** 0 if the lease is not live. */
  remainingMilliseconds(): number;
}

/** The maximum lease of instances and guards. A process that does not know the leases of the others waits this long. */
export const longestLeaseMilliseconds = 10_000;
/** The tolerated clock drift: the clock of a process that waits for our lease to end can run this much faster than ours. */
export const clockDrift = 0.02;
/** The tolerated step back of a wall clock: a larger step would keep expired tokens valid. */
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
