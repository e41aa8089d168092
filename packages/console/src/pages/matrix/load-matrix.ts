// Loads the matrix page by page: every page contains all routes and some of the roles, so the first
// page can be shown at once.
import type { client } from '../../client.ts';

type Answer = Awaited<ReturnType<typeof client.matrix>>['data'];
type PageRole = Answer['items'][number];
export type MatrixRoute = Answer['routes']['items'][number];

export interface TimedCell {
  /** The end of the temporary rule that lasts longest. */
  readonly endsAt: string;
  /** Covers all paths of the endpoint. */
  readonly isWhole: boolean;
}

export interface MatrixRole extends Omit<PageRole, 'temporary'> {
  /** Missing if the answering instance runs the previous version. */
  readonly temporary?: PageRole['temporary'];
  /** By the index of the route: what temporary rules allow. */
  readonly timed?: ReadonlyMap<number, TimedCell>;
}

export interface MatrixPage extends Omit<Answer, 'items'> {
  readonly items: readonly MatrixRole[];
}

export interface Matrix {
  readonly routes: readonly MatrixRoute[];
  /** The total number of routes, including those not listed. */
  readonly routeCount: number;
  readonly roles: readonly MatrixRole[];
  readonly hasMoreRoles: boolean;
  /** False if a mark `s` can be missing. */
  readonly isComplete: boolean;
  /** True while the other roles are still loading. */
  readonly isPart: boolean;
}

const pagesLimit = 10;

export async function loadMatrix(
  fetchPage: (after: string | undefined) => Promise<MatrixPage>,
  onPart: (part: Matrix) => void = () => {},
): Promise<Matrix> {
  const first = await fetchPage(undefined);
  const routes = first.routes.items;
  const known = { routes, routeCount: first.routes.count };
  const roles: MatrixRole[] = [...first.items];
  let { next, complete: isComplete } = first;
  if (next !== null) onPart({ ...known, roles: first.items, hasMoreRoles: false, isComplete, isPart: true });
  for (let pages = 1; next !== null && pages < pagesLimit; pages += 1) {
    const page = await fetchPage(next);
    roles.push(...alignRoles(page, routes));
    isComplete &&= page.complete;
    next = page.next;
  }
  return { ...known, roles, hasMoreRoles: next !== null, isComplete, isPart: false };
}

/** Whether the loaded part is enough to show these roles. */
export function isEnough({ roles, isPart }: Matrix, roleKeys: readonly string[]): boolean {
  return !isPart || roleKeys.every((wanted) => roles.some(({ roleKey }) => roleKey === wanted));
}

/** Routes can be imported between two pages, which changes the order of the cells in the later page. */
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
