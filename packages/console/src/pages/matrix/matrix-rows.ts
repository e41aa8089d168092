// The rows of the matrix: groups by service and tag, each followed by the filtered routes.
import { reachOf, storedState } from './cell-state.ts';
import { ruleText } from './draft.ts';
import type { Matrix, MatrixRole, MatrixRoute } from './load-matrix.ts';

export interface RouteRow {
  readonly kind: 'route';
  readonly key: string;
  /** The index of the route in the matrix, and of its character in a role's cells. */
  readonly place: number;
  readonly route: MatrixRoute;
  readonly rule: string;
}

export interface GroupRow {
  readonly kind: 'group';
  readonly key: string;
  readonly service: string;
  readonly tag: string | null;
  readonly members: readonly RouteRow[];
  readonly isExpanded: boolean;
}

export type Row = RouteRow | GroupRow;

export interface RowFilter {
  readonly text: string;
  /** Empty for all services. */
  readonly service: string;
  /** Only routes for which these roles have different access. */
  readonly differing: readonly MatrixRole[];
}

export interface Group {
  readonly key: string;
  readonly service: string;
  readonly tag: string | null;
  readonly members: readonly (RouteRow & { readonly searched: string })[];
}

export function groupRoutes({ routes }: Matrix): Group[] {
  const tags = tagsOf(routes);
  const groups = new Map<string, { head: Omit<Group, 'members'>; members: Group['members'][number][] }>();
  routes.forEach((route, place) => {
    const { service, method, path, title } = route;
    const tag = tags[place] ?? null;
    const key = JSON.stringify([service, tag]);
    const group = groups.get(key) ?? { head: { key, service, tag }, members: [] };
    const rule = ruleText(route);
    const searched = `${method} ${path} ${title} ${tag ?? ''}`.toLowerCase();
    group.members.push({ kind: 'route', key: `${service} ${rule}`, place, route, rule, searched });
    groups.set(key, group);
  });
  const services = new Map<string, Group[]>();
  for (const { head, members } of groups.values())
    services.set(head.service, [...(services.get(head.service) ?? []), { ...head, members }]);
  return [...services.values()].flat();
}

/** Routes without a tag are grouped by the beginning of their path; a single one stays in the group of its service. */
function tagsOf(routes: readonly MatrixRoute[]): (string | null)[] {
  const tags = routes.map(({ tag, service, path }) => tag ?? beginningOf(path, service));
  const nameOf = (place: number) => `${routes[place]?.service} ${tags[place]}`;
  const counts = new Map<string, number>();
  for (const place of tags.keys()) counts.set(nameOf(place), (counts.get(nameOf(place)) ?? 0) + 1);
  return tags.map((tag, place) =>
    routes[place]?.tag === null && counts.get(nameOf(place)) === 1 ? null : tag,
  );
}

/** For `/api/v1/orders/:id` this is `orders`. */
function beginningOf(path: string, service: string): string | null {
  const common = new Set(['', 'api', service]);
  const first = path.split('/').find((segment) => !common.has(segment) && !/^v\d+$/.test(segment));
  return first === undefined || /^[:*]/.test(first) ? null : first;
}

/** A route must contain every word of the text. During a search no group is collapsed. */
export function listRows(
  groups: readonly Group[],
  { text, service, differing }: RowFilter,
  collapsed: ReadonlySet<string>,
): Row[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return groups.flatMap((group): Row[] => {
    if (service !== '' && group.service !== service) return [];
    const members = group.members.filter(
      (row) => words.every((word) => row.searched.includes(word)) && isDifferent(row, differing),
    );
    if (members.length === 0) return [];
    const isExpanded = words.length > 0 || !collapsed.has(group.key);
    const head: GroupRow = { ...group, kind: 'group', members, isExpanded };
    return isExpanded ? [head, ...members] : [head];
  });
}

/** The number of routes in a group that the role can call completely, by the stored rules. */
export function countAllowed({ members }: GroupRow, role: MatrixRole): number {
  return members.filter(({ route, place }) => reachOf(storedState(role, route, place)) === 2).length;
}

function isDifferent({ route, place }: RouteRow, roles: readonly MatrixRole[]): boolean {
  if (roles.length < 2) return true;
  return new Set(roles.map((role) => reachOf(storedState(role, route, place)))).size > 1;
}
