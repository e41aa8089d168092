// What the bench and its crowd say to each other.

export interface CrowdTask {
  readonly ports: readonly number[];
  readonly secret: string;
  readonly guards: number;
}

export interface CrowdCounts {
  /** How often a guard came to have a lease. */
  leased: number;
  renewals: number;
  losses: number;
  closed: number;
}
