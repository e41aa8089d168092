// Finds the known endpoint of a call. Its rule is the narrowest one worth granting.
import type { Rule } from './draft.ts';
import type { MatrixRoute } from './load-matrix.ts';
import { coverageOf } from './rule-coverage.ts';

/** Matches like a router: a literal segment takes precedence over a parameter. */
export function findRoute(called: Rule, routes: readonly MatrixRoute[]): MatrixRoute | undefined {
  return routes
    .filter((route) => coverageOf(route, called) === 'all')
    .sort((one, other) => (breadthOf(one.path) < breadthOf(other.path) ? -1 : 1))
    .at(0);
}

function breadthOf(path: string): string {
  return path
    .split('/')
    .map((part) => (part.startsWith(':') ? 'b' : 'a'))
    .join('');
}
