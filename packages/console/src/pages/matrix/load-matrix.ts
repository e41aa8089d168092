// The whole matrix out of its pages: every page brings all routes and some of the roles.
import type { client } from '../../client.ts';

export type MatrixPage = Awaited<ReturnType<typeof client.matrix>>['data'];
export type MatrixRoute = MatrixPage['routes']['items'][number];
export type MatrixRole = MatrixPage['items'][number];

export interface Matrix {
  readonly routes: readonly MatrixRoute[];
  /** How many routes there are, listed or not. */
  readonly routeCount: number;
  readonly roles: readonly MatrixRole[];
  readonly hasMoreRoles: boolean;
  /** False where an `s` may be missing. */
  readonly isComplete: boolean;
}

const pagesLimit = 10;

export async function loadMatrix(
  fetchPage: (after: string | undefined) => Promise<MatrixPage>,
): Promise<Matrix> {
  const first = await fetchPage(undefined);
  const routes = first.routes.items;
  const roles = [...first.items];
  let { next, complete: isComplete } = first;
  for (let pages = 1; next !== null && pages < pagesLimit; pages += 1) {
    const page = await fetchPage(next);
    roles.push(...alignRoles(page, routes));
    isComplete &&= page.complete;
    next = page.next;
  }
  return { routes, routeCount: first.routes.count, roles, hasMoreRoles: next !== null, isComplete };
}

/** Routes can be imported between two pages; then the cells of the later page stand in another order. */
function alignRoles(page: MatrixPage, routes: readonly MatrixRoute[]): readonly MatrixRole[] {
  const own = page.routes.items;
  const isSame =
    own.length === routes.length && own.every((route, place) => nameOf(route) === nameOf(routes[place]));
  if (isSame) return page.items;
  const places = new Map(own.map((route, place) => [nameOf(route), place]));
  const wanted = routes.map((route) => places.get(nameOf(route)) ?? -1);
  return page.items.map((role) => ({
    ...role,
    cells: wanted.map((place) => role.cells[place] ?? '-').join(''),
  }));
}

function nameOf(route: MatrixRoute | undefined): string {
  return route === undefined ? '' : `${route.service} ${route.method} ${route.path}`;
}
