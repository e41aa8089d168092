// Who may call an endpoint: everybody, everybody signed in, or some roles, by what is in force. Admin may call all of them.
import type { MatrixRole, MatrixRoute } from '../matrix/load-matrix.ts';

export interface CallingRole {
  readonly id: number;
  readonly name: string;
  readonly roleKey: string;
  /** Only some of the paths. */
  readonly partly: boolean;
}

export type Callers =
  | { readonly kind: 'anybody' | 'signed-in' | 'excluded' | 'only-admin' }
  | { readonly kind: 'roles'; readonly roles: readonly CallingRole[] };

/** `place` is that of the route in the matrix, and so of its character in a role's cells. */
export function findCallers(route: MatrixRoute, place: number, roles: readonly MatrixRole[]): Callers {
  if (route.access === 'public') return { kind: 'anybody' };
  if (route.access === 'identity') return { kind: 'signed-in' };
  if (route.excluded) return { kind: 'excluded' };
  const calling = roles
    .filter((role) => isCalling(role, place))
    .map(({ id, name, roleKey, cells }) => ({ id, name, roleKey, partly: cells[place] === 's' }));
  if (calling.length === 0) return { kind: 'only-admin' };
  return { kind: 'roles', roles: calling.sort((a, b) => Number(a.partly) - Number(b.partly)) };
}

export function isOnlyForAdmin(route: MatrixRoute, place: number, roles: readonly MatrixRole[]): boolean {
  if (route.access !== 'permission' || route.excluded) return false;
  return !roles.some((role) => isCalling(role, place));
}

/** The rules of a disabled role let nobody in. */
function isCalling({ roleKey, enabled, cells }: MatrixRole, place: number): boolean {
  return roleKey !== 'admin' && enabled && (cells[place] ?? '-') !== '-';
}
