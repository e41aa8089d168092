// The services that endpoints are known of, with how many each has.
import type { Matrix } from '../matrix/load-matrix.ts';

/** The name under which the routes of Portcullis itself are listed. */
export const ownService = 'portcullis';

export interface ServiceCount {
  readonly name: string;
  readonly routes: number;
}

export function listServices({ routes }: Pick<Matrix, 'routes'>): ServiceCount[] {
  const counts = new Map<string, number>();
  for (const { service } of routes) counts.set(service, (counts.get(service) ?? 0) + 1);
  return [...counts].map(([name, count]) => ({ name, routes: count }));
}
