// The services with known endpoints, and the number of endpoints of each.
import type { Matrix } from '../matrix/load-matrix.ts';

/** The service name of Portcullis's own endpoints. */
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
