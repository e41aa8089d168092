// The state of a cell of the matrix, including the draft.
import type { DraftMark } from './draft.ts';
import type { MatrixRole, MatrixRoute } from './load-matrix.ts';

/** `timed` and `timedPart`: allowed only by a temporary rule, for all or some paths. */
export const cellStates = [
  'rule',
  'wider',
  'part',
  'none',
  'all',
  'open',
  'added',
  'removed',
  'timed',
  'timedPart',
] as const;
export type CellState = (typeof cellStates)[number];

/** Whether the route requires no rule. */
export function isOpenRoute({ access, excluded }: MatrixRoute): boolean {
  return access !== 'permission' || excluded;
}

export function isAdmin({ roleKey }: MatrixRole): boolean {
  return roleKey === 'admin';
}

export function isEditable(role: MatrixRole, route: MatrixRoute): boolean {
  return !isAdmin(role) && !isOpenRoute(route);
}

/** The state without the draft. */
export function storedState(role: MatrixRole, route: MatrixRoute, place: number): CellState {
  if (isOpenRoute(route)) return 'open';
  if (isAdmin(role)) return 'all';
  const cell = role.cells[place];
  if (cell === 'r') return 'rule';
  if (cell === 'a') return 'wider';
  const timed = role.timed?.get(place);
  if (timed?.isWhole === true) return 'timed';
  if (cell === 's') return 'part';
  return timed === undefined ? 'none' : 'timedPart';
}

export function cellState(
  role: MatrixRole,
  route: MatrixRoute,
  place: number,
  mark: DraftMark | undefined,
): CellState {
  const stored = storedState(role, route, place);
  if (mark === 'add' && stored !== 'rule') return 'added';
  return mark === 'remove' && (stored === 'rule' || stored === 'wider') ? 'removed' : stored;
}

/** How much of a route a state allows: 0 none, 1 some of its paths, 2 all. */
export function reachOf(state: CellState): 0 | 1 | 2 {
  if (state === 'none' || state === 'removed') return 0;
  return state === 'part' || state === 'timedPart' ? 1 : 2;
}

/** Whether everything is allowed without an end time. */
export function isLasting(state: CellState): boolean {
  return reachOf(state) === 2 && state !== 'timed';
}
