// The leases that an instance has given to guards: until one ends, its guard enforces at least the revision that it was
// given for, and the instance reports no more than that. Why that suffices is argued in docs/decisions/0028.

export interface GrantedLeases {
  /** Below it nothing is given any more: it was reported that nobody enforces less. */
  readonly floor: number;
  /** Told before the guard is answered. One that was overtaken neither lowers nor shortens what is noted. */
  note(id: string, n: number, milliseconds: number): void;
  /** The guard goes by it no more. */
  release(id: string): void;
  /** The least that is enforced by whoever enforces `own` and by every guard. */
  least(own: number): number;
  /** The same, to be reported: from now on it is the floor. */
  commit(own: number): number;
  /** Whether a guard may still go by one. */
  isAnyLive(): boolean;
}

/** To look through all of them with every renewal would cost more than the renewals. */
const lookMilliseconds = 20;

export function createGrantedLeases(monotonic: () => number): GrantedLeases {
  const grants = new Map<string, { n: number; endsAt: number }>();
  /** How many there are of each revision: there are many grants, and few revisions. */
  const counts = new Map<number, number>();
  let floor = Number.NEGATIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;

  function count(n: number, change: 1 | -1): void {
    const left = (counts.get(n) ?? 0) + change;
    if (left === 0) counts.delete(n);
    else counts.set(n, left);
  }

  function release(id: string): void {
    const grant = grants.get(id);
    if (grant === undefined) return;
    grants.delete(id);
    count(grant.n, -1);
  }

  function dropEnded(): void {
    lookedAt = monotonic();
    for (const [id, { endsAt }] of grants) if (endsAt <= lookedAt) release(id);
  }

  function lowest(own: number): number {
    let lowest = own;
    for (const n of counts.keys()) if (n < lowest) lowest = n;
    return lowest;
  }

  function least(own: number): number {
    // Who is behind may have ended.
    if (lowest(own) < own && monotonic() - lookedAt > lookMilliseconds) dropEnded();
    return lowest(own);
  }

  return {
    get floor() {
      return floor;
    },
    note(id, n, milliseconds) {
      const before = grants.get(id);
      const endsAt = monotonic() + milliseconds;
      release(id);
      const noted = { n: Math.max(n, before?.n ?? n), endsAt: Math.max(endsAt, before?.endsAt ?? endsAt) };
      grants.set(id, noted);
      count(noted.n, 1);
    },
    release,
    least,
    commit(own) {
      const reported = least(own);
      floor = Math.max(floor, reported);
      return reported;
    },
    isAnyLive() {
      dropEnded();
      return grants.size > 0;
    },
  };
}
