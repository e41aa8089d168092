// Finds the wider rules that allow endpoints, and the endpoints that are lost if these rules are removed.
import { isOpenRoute } from './cell-state.ts';
import { type Rule, ruleText } from './draft.ts';
import type { MatrixRoute } from './load-matrix.ts';
import { coverageOf } from './rule-coverage.ts';

export interface WiderRules {
  readonly rules: readonly Rule[];
  /** Every endpoint that no other rule of the role allows, including the given ones. */
  readonly lost: readonly MatrixRoute[];
  /** For each of the other endpoints, the rule that still allows it. */
  readonly kept: readonly Rule[];
}

/** The rules of exactly these endpoints are removed too. */
export function findWiderRules(
  unwanted: readonly MatrixRoute[],
  rules: readonly Rule[],
  routes: readonly MatrixRoute[],
): WiderRules {
  const own = new Set(unwanted.map(ruleText));
  const [ownRules, others] = [
    rules.filter((rule) => own.has(ruleText(rule))),
    rules.filter((rule) => !own.has(ruleText(rule))),
  ];
  const wide = others.filter((rule) => unwanted.some((route) => coverageOf(rule, route) === 'all'));
  const lost = findLost(rules, [...wide, ...ownRules], routes);
  const kept = new Map(lost.map(({ method, path }) => [ruleText({ method, path }), { method, path }]));
  for (const rule of own) kept.delete(rule);
  return { rules: wide, lost, kept: [...kept.values()] };
}

/** The endpoints that the rules allow, and that they do not allow without some of them. */
export function findLost(
  rules: readonly Rule[],
  removed: readonly Rule[],
  routes: readonly MatrixRoute[],
): MatrixRoute[] {
  const gone = new Set(removed.map(ruleText));
  const rest = rules.filter((rule) => !gone.has(ruleText(rule)));
  const allows = (some: readonly Rule[], route: MatrixRoute) =>
    some.some((rule) => coverageOf(rule, route) === 'all');
  return routes.filter((route) => !isOpenRoute(route) && allows(removed, route) && !allows(rest, route));
}
