// What a run must have shown at least once, or its silence about violations would mean nothing.

export const RETURNED_BY_ACKNOWLEDGEMENTS = 1 << 0;
export const RETURNED_BY_WAITING = 1 << 1;
export const UNAVAILABLE = 1 << 2;
export const REQUEST_ALLOWED = 1 << 3;
export const REQUEST_WITHOUT_LEASE = 1 << 4;
export const REGISTERED_AGAIN = 1 << 5;
export const FAILOVER = 1 << 6;
export const REGISTRATION_LOST = 1 << 7;
export const HISTORY_LOST = 1 << 8;
export const LOST_REVISION_REFUSED = 1 << 9;
export const RECOVERED = 1 << 10;
export const CRASH = 1 << 11;
export const CHANGES_ENFORCED = 1 << 12;
export const REPORT_OVERTAKEN = 1 << 13;
export const GUARD_ALLOWED = 1 << 14;
export const GRANT_CAPPED = 1 << 15;
export const GRANT_BELOW_FLOOR = 1 << 16;
export const GRANT_OUTLIVED_MEMBER = 1 << 17;
export const ROW_HELD_BACK = 1 << 18;
export const GRANT_OF_LOST_REFUSED = 1 << 19;

const meanings: readonly (readonly [number, string])[] = [
  [RETURNED_BY_ACKNOWLEDGEMENTS, 'a call returned by acknowledgements'],
  [RETURNED_BY_WAITING, 'a call returned by waiting out the lease'],
  [UNAVAILABLE, 'a call ended with 503 after a failover'],
  [REQUEST_ALLOWED, 'a request was allowed'],
  [REQUEST_WITHOUT_LEASE, 'a request was refused for lack of a lease'],
  [CHANGES_ENFORCED, 'a member fetched and enforced changes'],
  [REPORT_OVERTAKEN, 'a report was executed after a newer one'],
  [REGISTERED_AGAIN, 'a member registered again'],
  [CRASH, 'a member died and its row stayed'],
  [FAILOVER, 'a failover'],
  [REGISTRATION_LOST, 'a failover lost the row of a member with a lease'],
  [HISTORY_LOST, 'a failover lost revisions'],
  [LOST_REVISION_REFUSED, 'a report on a lost revision renewed nothing'],
  [RECOVERED, 'an operator recovered'],
];

const guardMeanings: readonly (readonly [number, string])[] = [
  [GUARD_ALLOWED, 'a guard allowed a request'],
  [GRANT_CAPPED, 'a guard got no more than was left of the lease of its member'],
  [GRANT_BELOW_FLOOR, 'a guard got nothing because it enforced too little'],
  [GRANT_OUTLIVED_MEMBER, 'a guard had its lease longer than its member lived'],
  [ROW_HELD_BACK, 'a member reported less than it enforced, for a guard'],
  [GRANT_OF_LOST_REFUSED, 'a guard got nothing because its member did not know its revision'],
];

export interface Sightings {
  /** Takes the bits of one schedule. */
  count(sighted: number): void;
  /** How many schedules showed each thing. */
  list(): readonly { readonly meaning: string; readonly schedules: number }[];
}

/** With guards, also of those. */
export function createSightings(withGuards: boolean): Sightings {
  const counters = (withGuards ? [...meanings, ...guardMeanings] : meanings).map(([bit, meaning]) => ({
    bit,
    meaning,
    schedules: 0,
  }));
  return {
    count(sighted) {
      for (const counter of counters) if ((sighted & counter.bit) !== 0) counter.schedules += 1;
    },
    list: () => counters,
  };
}
