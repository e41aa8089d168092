// Computes which endpoints a rule covers, for display before a change. It decides nothing: the
// service compares the rules.
import { isOpenRoute } from './cell-state.ts';
import type { Rule } from './draft.ts';
import type { MatrixRoute } from './load-matrix.ts';

export interface Coverage {
  /** Endpoints of which the rule allows every path. */
  readonly whole: readonly MatrixRoute[];
  /** Endpoints of which it allows some paths, such as one id. */
  readonly part: readonly MatrixRoute[];
}

/** How much of a path with parameters the rule allows: none, some, or all. */
export function coverageOf(rule: Rule, { method, path }: Rule): 'none' | 'some' | 'all' {
  if (rule.method !== '*' && rule.method !== method) return 'none';
  const [wanted, given] = [rule.path.split('/'), path.split('/')];
  const isOpen = wanted.at(-1) === '*';
  if (isOpen ? given.length < wanted.length : given.length !== wanted.length) return 'none';
  let isWhole = true;
  for (const [place, part] of wanted.entries()) {
    if (part.startsWith(':') || (isOpen && place === wanted.length - 1)) continue;
    const other = given[place] ?? '';
    if (other.startsWith(':')) isWhole = false;
    else if (other !== part) return 'none';
  }
  return isWhole ? 'all' : 'some';
}

/** Among the endpoints that require a rule. */
export function findCoverage(rule: Rule, routes: readonly MatrixRoute[]): Coverage {
  const [whole, part]: [MatrixRoute[], MatrixRoute[]] = [[], []];
  for (const route of routes) {
    if (isOpenRoute(route)) continue;
    const coverage = coverageOf(rule, route);
    if (coverage === 'all') whole.push(route);
    else if (coverage === 'some') part.push(route);
  }
  return { whole, part };
}
