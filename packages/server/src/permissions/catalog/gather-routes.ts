// Lists all known routes: first the endpoints of this process, then the imported routes in their order.
import {
  type CatalogRoute,
  type Endpoint,
  type MatrixRoute,
  ownServiceName,
  routeName,
} from '@portcullis/contract';
import { inTurns } from './yielding.ts';

export interface RouteSources {
  readonly routes: AsyncIterable<readonly CatalogRoute[]>;
  /** The endpoints of this process. */
  readonly endpoints: readonly Endpoint[];
  /** The endpoints that need no rule (the exclusion list), as `METHOD /path`. */
  readonly exclusions: readonly string[];
}

export async function gatherRoutes({ routes, endpoints, exclusions }: RouteSources): Promise<MatrixRoute[]> {
  const excluded = new Set(exclusions);
  const known: MatrixRoute[] = endpoints.map((endpoint) => ({
    service: ownServiceName,
    method: endpoint.method,
    path: endpoint.path,
    title: endpoint.title,
    tag: null,
    access: endpoint.access,
    excluded: excluded.has(routeName(endpoint)),
  }));
  for await (const batch of inTurns(routes))
    for (const route of batch) known.push({ ...route, access: 'permission', excluded: false });
  return known;
}

export function needsRule({ access, excluded }: MatrixRoute): boolean {
  return access === 'permission' && !excluded;
}

export function nameOf({ service, method, path, title }: MatrixRoute) {
  return { service, method, path, title };
}
