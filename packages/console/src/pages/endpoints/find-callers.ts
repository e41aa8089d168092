// The callers of an endpoint by the stored rules: all users, all signed-in users, or some roles.
// Admin can call every endpoint.
import type { MatrixRole, MatrixRoute } from '../matrix/load-matrix.ts';

export interface CallingRole {
  readonly id: number;
  readonly name: string;
  readonly roleKey: string;
  /** Only some paths of the endpoint. */
  readonly partly: boolean;
}

export type Callers =
  | { readonly kind: 'anybody' | 'signed-in' | 'excluded' | 'only-admin' }
  | { readonly kind: 'roles'; readonly roles: readonly CallingRole[] };

/** `place` is the index of the route in the matrix, and of its character in a role's cells. */
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

/** The rules of a disabled role have no effect. */
function isCalling({ roleKey, enabled, cells }: MatrixRole, place: number): boolean {
  return roleKey !== 'admin' && enabled && (cells[place] ?? '-') !== '-';
}
