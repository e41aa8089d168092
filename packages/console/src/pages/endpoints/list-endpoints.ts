// The endpoints that the filter leaves, in their groups, as many as are drawn at once.
import type { MatrixRole } from '../matrix/load-matrix.ts';
import type { Group } from '../matrix/matrix-rows.ts';
import type { EndpointFilter } from './endpoint-filter.ts';
import { isOnlyForAdmin } from './find-callers.ts';

export interface EndpointList {
  readonly groups: readonly Group[];
  /** How many the filter leaves, drawn or not. */
  readonly count: number;
}

/** Every word of the text must be found. */
export function listEndpoints(
  groups: readonly Group[],
  roles: readonly MatrixRole[],
  { text, service, onlyAdmin }: EndpointFilter,
  limit: number,
): EndpointList {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const shown: Group[] = [];
  let count = 0;
  for (const group of groups) {
    if (service !== '' && group.service !== service) continue;
    const members = group.members.filter(
      ({ searched, route, place }) =>
        words.every((word) => searched.includes(word)) && (!onlyAdmin || isOnlyForAdmin(route, place, roles)),
    );
    const drawn = members.slice(0, Math.max(limit - count, 0));
    count += members.length;
    if (drawn.length > 0) shown.push({ ...group, members: drawn });
  }
  return { groups: shown, count };
}
