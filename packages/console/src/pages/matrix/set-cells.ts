// Many cells at once: a group of endpoints, or a range. They become all allowed or none, in one step of the draft.
import { type CellState, cellState, isEditable, isLasting, reachOf } from './cell-state.ts';
import { type Draft, toggleRules } from './draft.ts';
import type { MatrixRole, MatrixRoute } from './load-matrix.ts';
import type { RouteRow, Row } from './matrix-rows.ts';

export interface Cell {
  readonly role: MatrixRole;
  readonly row: RouteRow;
}

/** A cell stands for its endpoint, and that of a collapsed group for all endpoints of the group. */
export function listCells(rows: readonly Row[], roles: readonly MatrixRole[]): Cell[] {
  const routes = rows.flatMap((row) => {
    if (row.kind === 'route') return [row];
    return row.isExpanded ? [] : row.members;
  });
  return cellsOf(routes, roles);
}

/** Those that can be changed. */
export function cellsOf(routes: readonly RouteRow[], roles: readonly MatrixRole[]): Cell[] {
  return roles.flatMap((role) =>
    routes.filter(({ route }) => isEditable(role, route)).map((row) => ({ role, row })),
  );
}

/** As it is shown: `shown` says also what a removed wider rule takes along. */
export function stateOf({ role, row }: Cell, shown: Draft): CellState {
  return cellState(role, row.route, row.place, shown.get(role.id)?.get(row.rule));
}

export function countLasting(cells: readonly Cell[], shown: Draft): number {
  return cells.filter((cell) => isLasting(stateOf(cell, shown))).length;
}

/** What a wider rule allows stays allowed: only rules of the very endpoints come and go. */
export function setCells(draft: Draft, shown: Draft, cells: readonly Cell[], isAllowed: boolean): Draft {
  const changing = cells.filter((cell) => {
    const state = stateOf(cell, shown);
    return isAllowed ? !isLasting(state) : state === 'rule' || state === 'added';
  });
  let next = draft;
  for (const [role, some] of Map.groupBy(changing, (cell) => cell.role)) {
    const rules = new Map(some.map(({ row }) => [row.rule, role.cells[row.place] === 'r']));
    next = toggleRules(next, role.id, rules);
  }
  return next;
}

export interface WiderCells {
  readonly role: MatrixRole;
  /** All that is to be allowed no longer, whether by an own rule or a wider one. */
  readonly unwanted: readonly MatrixRoute[];
}

/** The roles of which wider rules allow some of the cells. */
export function findWiderCells(cells: readonly Cell[], shown: Draft): WiderCells[] {
  return [...Map.groupBy(cells, (cell) => cell.role)].flatMap(([role, some]) => {
    const on = some.filter((cell) => isLasting(stateOf(cell, shown)));
    if (!on.some((cell) => stateOf(cell, shown) === 'wider')) return [];
    return [{ role, unwanted: on.map(({ row }) => row.route) }];
  });
}

export interface GroupCheck {
  readonly allowed: number;
  readonly all: number;
  readonly checked: 'true' | 'false' | 'mixed';
}

/** Of the endpoints that need a rule; undefined where there is none, or the role needs none. */
export function checkGroup(
  members: readonly RouteRow[],
  role: MatrixRole,
  shown: Draft,
): GroupCheck | undefined {
  const cells = cellsOf(members, [role]);
  if (cells.length === 0) return undefined;
  const allowed = countLasting(cells, shown);
  if (allowed === cells.length) return { allowed, all: allowed, checked: 'true' };
  const isNone = cells.every((cell) => reachOf(stateOf(cell, shown)) === 0);
  return { allowed, all: cells.length, checked: isNone ? 'false' : 'mixed' };
}
