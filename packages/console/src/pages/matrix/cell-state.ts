// What a cell of the matrix says, the draft included.
import type { DraftMark } from './draft.ts';
import type { MatrixRole, MatrixRoute } from './load-matrix.ts';

export const cellStates = ['rule', 'wider', 'part', 'none', 'all', 'open', 'added', 'removed'] as const;
export type CellState = (typeof cellStates)[number];

/** Whether the route asks for no rule. */
export function isOpenRoute({ access, excluded }: MatrixRoute): boolean {
  return access !== 'permission' || excluded;
}

export function isAdmin({ roleKey }: MatrixRole): boolean {
  return roleKey === 'admin';
}

export function isEditable(role: MatrixRole, route: MatrixRoute): boolean {
  return !isAdmin(role) && !isOpenRoute(route);
}

/** Without the draft. */
export function storedState(role: MatrixRole, route: MatrixRoute, place: number): CellState {
  if (isOpenRoute(route)) return 'open';
  if (isAdmin(role)) return 'all';
  const cell = role.cells[place];
  if (cell === 'r') return 'rule';
  if (cell === 'a') return 'wider';
  return cell === 's' ? 'part' : 'none';
}

export function cellState(
  role: MatrixRole,
  route: MatrixRoute,
  place: number,
  mark: DraftMark | undefined,
): CellState {
  const stored = storedState(role, route, place);
  if (mark === 'add' && stored !== 'rule') return 'added';
  return mark === 'remove' && stored === 'rule' ? 'removed' : stored;
}

/** How much of a route a state means: 0 none, 1 some of its paths, 2 all. */
export function reachOf(state: CellState): 0 | 1 | 2 {
  if (state === 'none' || state === 'removed') return 0;
  return state === 'part' ? 1 : 2;
}
