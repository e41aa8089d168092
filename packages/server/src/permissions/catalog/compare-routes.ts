// Diff of an import: compares the routes of a service before and after it.
import { type CatalogRoute, routeName } from '@portcullis/contract';

export type RouteName = Pick<CatalogRoute, 'method' | 'path'>;

export interface RouteChanges {
  readonly added: readonly RouteName[];
  readonly removed: readonly RouteName[];
  readonly kept: number;
}

export function compareRoutes(before: readonly RouteName[], after: readonly RouteName[]): RouteChanges {
  const known = new Set(before.map(routeName));
  const wanted = new Set(after.map(routeName));
  const added = after.filter((route) => !known.has(routeName(route))).map(nameOf);
  const removed = before.filter((route) => !wanted.has(routeName(route))).map(nameOf);
  return { added, removed, kept: after.length - added.length };
}

function nameOf({ method, path }: RouteName): RouteName {
  return { method, path };
}
