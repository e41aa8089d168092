// The cells that a temporary rule allows, with its end. It decides nothing: the grid shows it
// beside the permanent rules.
import { isOpenRoute } from './cell-state.ts';
import type { Rule } from './draft.ts';
import type { Matrix, MatrixRoute, TimedCell } from './load-matrix.ts';
import { coverageOf } from './rule-coverage.ts';

export interface TemporaryRule extends Rule {
  readonly endsAt: string;
}

export function withTimes(matrix: Matrix): Matrix {
  const roles = matrix.roles.map((role) => {
    const timed = findTimed(role.temporary ?? [], matrix.routes);
    return timed.size === 0 ? role : { ...role, timed };
  });
  return { ...matrix, roles };
}

/** By the index of the route. */
export function findTimed(
  rules: readonly TemporaryRule[],
  routes: readonly MatrixRoute[],
): ReadonlyMap<number, TimedCell> {
  const timed = new Map<number, TimedCell>();
  for (const rule of rules)
    routes.forEach((route, place) => {
      if (isOpenRoute(route)) return;
      const coverage = coverageOf(rule, route);
      if (coverage === 'none') return;
      const cell = { endsAt: rule.endsAt, isWhole: coverage === 'all' };
      if (isMore(cell, timed.get(place))) timed.set(place, cell);
    });
  return timed;
}

/** The time until the next temporary rule ends; undefined if there is none. */
export function untilNextEnd({ roles }: Matrix, now: number): number | undefined {
  const ends = roles.flatMap(({ temporary = [] }) => temporary.map(({ endsAt }) => Date.parse(endsAt) - now));
  return ends.length === 0 ? undefined : Math.min(...ends);
}

function isMore(cell: TimedCell, other: TimedCell | undefined): boolean {
  if (other === undefined || cell.isWhole !== other.isWhole) return other === undefined || cell.isWhole;
  return Date.parse(cell.endsAt) > Date.parse(other.endsAt);
}
