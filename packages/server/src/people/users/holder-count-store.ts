// SQL that counts the holders of roles, within the caller's scope. The number of rows that it reads is limited, however many users
// there are.
import { countedUsersLimit } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store } from '../../cluster/store/store.ts';
import type { UserScope } from './user-scope.ts';

export interface HolderCount {
  /** Enabled holders in the scope; `more` if there can be further ones. */
  readonly users: { readonly count: number; readonly more: boolean };
  /** The roles for which an enabled holder was found. */
  readonly roleIds: ReadonlySet<number>;
}

/** How many ranges of the index are searched; a range is one role in one department. */
const mostRanges = 5000;

export async function countHolders(
  store: Store,
  scope: UserScope,
  roleIds: readonly number[],
): Promise<HolderCount> {
  const departments = scope.kind === 'departments' ? scope.departments.length : 1;
  const searched = roleIds.slice(0, Math.max(1, Math.floor(mostRanges / Math.max(1, departments))));
  // One range after the other, so that the scan ends at the limit: in a single range Postgres would read the whole index first.
  const { rows } = await sql<{ roleId: number; count: number; all: number }>`
    select role_id as "roleId", count(*) filter (where enabled) as count, count(*) as "all"
    from (
      select lane.* from unnest(${searched}::bigint[]) as roles (id) ${departmentRanges(scope)} cross join lateral (
        select role_id, enabled from users
        where role_id = roles.id and deleted_at is null and ${inScope(scope)}
        order by role_id, department_id, id limit ${countedUsersLimit + 1}
      ) as lane
      limit ${countedUsersLimit + 1}
    ) as having_it group by role_id`.execute(store);
  const sum = (field: 'count' | 'all') => rows.reduce((total, row) => total + row[field], 0);
  return {
    users: {
      count: Math.min(sum('count'), countedUsersLimit),
      more: sum('all') > countedUsersLimit || searched.length < roleIds.length,
    },
    roleIds: new Set(rows.filter(({ count }) => count > 0).map(({ roleId }) => roleId)),
  };
}

function departmentRanges(scope: UserScope) {
  return scope.kind === 'departments'
    ? sql`cross join unnest(${scope.departments}::bigint[]) as departments (id)`
    : sql``;
}

function inScope(scope: UserScope) {
  switch (scope.kind) {
    case 'all':
      return sql`true`;
    case 'departments':
      return sql`department_id = departments.id`;
    case 'own':
      return sql`id = ${scope.userId}`;
  }
}
