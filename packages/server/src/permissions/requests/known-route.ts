// Finds the endpoint of an access request: an endpoint of this process, or one of the catalogue. Access to an unknown
// route cannot be requested.
import { type Endpoint, routeName } from '@portcullis/contract';
import type { Store } from '../../cluster/store/store.ts';
import { isCanonicalCall } from '../explain/explain-request.ts';
import { findEndpoint } from '../explain/find-endpoint.ts';
import { isInGrammar } from '../rules/rule-changes.ts';
import { type KnownRoute, listCatalogPaths, type RequestedRule } from './access-request-store.ts';

export interface RouteSources {
  readonly store: Store;
  readonly endpoints: readonly Endpoint[];
  /** As `METHOD /path`. */
  readonly exclusions: readonly string[];
}

export async function findRoute(
  { store, endpoints, exclusions }: RouteSources,
  { method, path }: RequestedRule,
): Promise<KnownRoute | undefined> {
  const own = findEndpoint(endpoints, method, path);
  const found = own ?? findEndpoint(await listCatalogPaths(store, { method, path }), method, path);
  if (found === undefined) return undefined;
  const pattern = found.path;
  // A canonical path contains neither `:name` nor `*`. In a rule, those would match other paths, so only the endpoint's
  // declared pattern can contain them.
  const isNamed = path === pattern || isCanonicalCall({ method, path });
  if (!isNamed || !isInGrammar({ method, path })) return undefined;
  const isOpen = own !== undefined && (own.access !== 'permission' || exclusions.includes(routeName(own)));
  return { method, path, pattern, needsRule: !isOpen };
}
