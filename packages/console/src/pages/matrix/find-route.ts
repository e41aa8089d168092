// Which known endpoint a call is one of; its rule is the narrowest that is worth having.
import type { Rule } from './draft.ts';
import type { MatrixRoute } from './load-matrix.ts';
import { coverageOf } from './rule-coverage.ts';

/** The endpoint that a path belongs to, as a router would find it: a literal before a parameter. */
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
