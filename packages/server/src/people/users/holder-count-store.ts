// SQL of how many people have some roles. No more than so many are looked at, however many there are.
import { countedUsersLimit } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store } from '../../cluster/store/store.ts';
import type { UserScope } from './user-scope.ts';

export interface HolderCount {
  /** Those who are enabled and in the scope; more where there may be more. */
  readonly users: { readonly count: number; readonly more: boolean };
  /** Those of the roles whom anybody was found to have. */
  readonly roleIds: ReadonlySet<number>;
}

/** In how many places of the index, each a role and a department, people are looked for. */
const mostPlaces = 5000;

export async function countHolders(
  store: Store,
  scope: UserScope,
  roleIds: readonly number[],
): Promise<HolderCount> {
  const departments = scope.kind === 'departments' ? scope.departments.length : 1;
  const looked = roleIds.slice(0, Math.max(1, Math.floor(mostPlaces / Math.max(1, departments))));
  // Place by place, so that the walk ends at the limit: all at once, Postgres would read the whole index first.
  const { rows } = await sql<{ roleId: number; count: number; all: number }>`
    select role_id as "roleId", count(*) filter (where enabled) as count, count(*) as "all"
    from (
      select lane.* from unnest(${looked}::bigint[]) as roles (id) ${places(scope)} cross join lateral (
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
      more: sum('all') > countedUsersLimit || looked.length < roleIds.length,
    },
    roleIds: new Set(rows.filter(({ count }) => count > 0).map(({ roleId }) => roleId)),
  };
}

function places(scope: UserScope) {
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
