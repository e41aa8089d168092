// Bulk edit of cells: a group of endpoints or a range is allowed or denied completely, in one step of the draft.
import { type CellState, cellState, isEditable, isLasting, reachOf } from './cell-state.ts';
import { type Draft, toggleRules } from './draft.ts';
import type { MatrixRole, MatrixRoute } from './load-matrix.ts';
import type { RouteRow, Row } from './matrix-rows.ts';

export interface Cell {
  readonly role: MatrixRole;
  readonly row: RouteRow;
}

/** The cell of an endpoint, and for a collapsed group the cells of all its endpoints. */
export function listCells(rows: readonly Row[], roles: readonly MatrixRole[]): Cell[] {
  const routes = rows.flatMap((row) => {
    if (row.kind === 'route') return [row];
    return row.isExpanded ? [] : row.members;
  });
  return cellsOf(routes, roles);
}

/** Editable cells only. */
export function cellsOf(routes: readonly RouteRow[], roles: readonly MatrixRole[]): Cell[] {
  return roles.flatMap((role) =>
    routes.filter(({ route }) => isEditable(role, route)).map((row) => ({ role, row })),
  );
}

/** The shown state: `shown` includes what a removed wider rule takes away. */
export function stateOf({ role, row }: Cell, shown: Draft): CellState {
  return cellState(role, row.route, row.place, shown.get(role.id)?.get(row.rule));
}

export function countLasting(cells: readonly Cell[], shown: Draft): number {
  return cells.filter((cell) => isLasting(stateOf(cell, shown))).length;
}

/** What a wider rule allows stays allowed: only rules of these exact endpoints change. */
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
  /** All endpoints to deny, whether an own rule or a wider rule allows them. */
  readonly unwanted: readonly MatrixRoute[];
}

/** The roles whose wider rules allow some of the cells. */
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

/** Among the endpoints that require a rule; undefined if there are none, or if the role needs no rules. */
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
