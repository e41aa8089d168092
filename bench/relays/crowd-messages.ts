// The messages between the benchmark and its process of many guards.

export interface CrowdTask {
  readonly ports: readonly number[];
  readonly secret: string;
  readonly guards: number;
}

export interface CrowdCounts {
  /** How many times guards got a lease. */
  leased: number;
  renewals: number;
  losses: number;
  closed: number;
}
