/** An eighth of the shortest lease. */
const longest = 250;

/** How far apart an instance's rings, reports and looks are: many instances would drown the database in them. */
export function paceMilliseconds(instances: number): number {
  return Math.min(1 + instances / 4, longest);
}
