// The filtered endpoints in their groups, limited to the number that is rendered at once.
import type { MatrixRole } from '../matrix/load-matrix.ts';
import type { Group } from '../matrix/matrix-rows.ts';
import { coverageOf } from '../matrix/rule-coverage.ts';
import type { EndpointFilter } from './endpoint-filter.ts';
import { isOnlyForAdmin } from './find-callers.ts';

export interface EndpointList {
  readonly groups: readonly Group[];
  /** The number of matching endpoints, rendered or not. */
  readonly count: number;
  /** Set if the text is a real path and not part of a declared one. */
  readonly calledPath: string | undefined;
}

/**
 * An endpoint matches if it contains every word of the text, or if the text is a real path of it,
 * with or without a method.
 */
export function listEndpoints(
  groups: readonly Group[],
  roles: readonly MatrixRole[],
  { text, service, onlyAdmin }: EndpointFilter,
  limit: number,
): EndpointList {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isFound = ({ searched }: Row) => words.every((word) => searched.includes(word));
  const called = readCalled(text);
  const isCalled = ({ route }: Row) =>
    called !== undefined &&
    coverageOf(route, { method: called.method ?? route.method, path: called.path }) === 'all';
  const isPath = called !== undefined && !groups.some(({ members }) => members.some(isFound));
  const shown: Group[] = [];
  let count = 0;
  for (const group of groups) {
    if (service !== '' && group.service !== service) continue;
    const members = group.members.filter(
      (row) =>
        (isPath ? isCalled(row) : isFound(row)) &&
        (!onlyAdmin || isOnlyForAdmin(row.route, row.place, roles)),
    );
    const drawn = members.slice(0, Math.max(limit - count, 0));
    count += members.length;
    if (drawn.length > 0) shown.push({ ...group, members: drawn });
  }
  return { groups: shown, count, calledPath: isPath ? called.path : undefined };
}

type Row = Group['members'][number];

function readCalled(
  text: string,
): { readonly method: string | undefined; readonly path: string } | undefined {
  const [, method, path] = /^(?:([A-Za-z]+)\s+)?(\/\S+)$/.exec(text.trim()) ?? [];
  return path === undefined ? undefined : { method: method?.toUpperCase(), path };
}
