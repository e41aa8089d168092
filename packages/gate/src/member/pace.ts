/** How far apart an instance's rings, reports and looks are: many instances would drown the database in them. */
export function paceMilliseconds(instances: number): number {
  return 1 + instances / 4;
}
