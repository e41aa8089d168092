// Poll interval: how long an instance waits between notifications, between heartbeats and between polls of the barrier. The
// interval grows with the number of instances, so that many instances do not overload the database.

/** An eighth of the shortest lease. */
const longest = 250;

export function pollIntervalMilliseconds(instances: number): number {
  return Math.min(1 + instances / 4, longest);
}
