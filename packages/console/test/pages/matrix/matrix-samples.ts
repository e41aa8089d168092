// Small matrices for the tests.
import type { Matrix, MatrixRole, MatrixRoute } from '../../../src/pages/matrix/load-matrix.ts';

export function route(
  method: MatrixRoute['method'],
  path: string,
  rest: Partial<MatrixRoute> = {},
): MatrixRoute {
  return {
    service: 'shop',
    method,
    path,
    title: '',
    tag: null,
    access: 'permission',
    excluded: false,
    ...rest,
  };
}

export function role(roleKey: string, cells: string, rest: Partial<MatrixRole> = {}): MatrixRole {
  return { id: roleKey.length, roleKey, name: roleKey, enabled: true, revision: 1, cells, ...rest };
}

export function matrix(routes: readonly MatrixRoute[], roles: readonly MatrixRole[]): Matrix {
  return { routes, roles, routeCount: routes.length, hasMoreRoles: false, isComplete: true, isPart: false };
}
