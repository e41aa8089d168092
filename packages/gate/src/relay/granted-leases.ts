// The leases that an instance has granted to guards. Until a lease ends, its guard enforces at least the revision of the
// lease, and the instance reports no newer revision. docs/decisions/0028 argues why that suffices.

export interface GrantedLeases {
  /** The instance grants no lease below this revision: it has reported that its guards enforce at least this one. */
  readonly floor: number;
  /** Records a lease before the guard gets its answer. A lease that arrives late neither lowers nor shortens the record. */
  note(id: string, n: number, milliseconds: number): void;
  /** The guard has given its lease back. */
  release(id: string): void;
  /** The oldest revision that is enforced by an instance at `own` and its guards. */
  least(own: number): number;
  /** The same revision, for a report: from now on it is the floor. */
  commit(own: number): number;
  /** Whether a guard can still hold a live lease. */
  isAnyLive(): boolean;
}

/** The sweep interval: a search through all leases with every renewal would cost more than the renewals. */
const sweepMilliseconds = 20;

export function createGrantedLeases(monotonic: () => number): GrantedLeases {
  const grants = new Map<string, { n: number; endsAt: number }>();
  /** The number of grants by revision: there are many grants, and few revisions. */
  const counts = new Map<number, number>();
  let floor = Number.NEGATIVE_INFINITY;
  let sweptAt = Number.NEGATIVE_INFINITY;

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
    sweptAt = monotonic();
    for (const [id, { endsAt }] of grants) if (endsAt <= sweptAt) release(id);
  }

  function lowest(own: number): number {
    let lowest = own;
    for (const n of counts.keys()) if (n < lowest) lowest = n;
    return lowest;
  }

  function least(own: number): number {
    // The lease of a guard that is behind can have ended.
    if (lowest(own) < own && monotonic() - sweptAt > sweepMilliseconds) dropEnded();
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
