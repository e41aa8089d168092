// SQL of the names behind the numbers of audit records: of whom and what the caller may see.
import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../../cluster/store/store.ts';
import type { Actors } from './audit-store.ts';

/** By the targets of records, like `user 7`. */
export type Names = ReadonlyMap<string, string>;

/** Users who were deleted keep their names; of roles and departments that are gone, their last record has it. */
export async function findNames(store: Store, scope: Actors, targets: readonly string[]): Promise<Names> {
  const isAll = scope === 'all';
  const departments = isAll ? [] : scope.departments;
  const isUserShown = isAll
    ? sql`true`
    : sql`(id = ${scope.userId} or department_id = any(${departments}::bigint[]))`;
  const isDepartmentShown = isAll ? sql`true` : sql`id = any(${departments}::bigint[])`;
  const kinds = ['user', 'role', 'department'] as const;
  const [users, roles, places] = kinds.map((kind) => idsOf(kind, targets));
  const { rows } = await sql<{ target: string; name: string }>`
    select 'user ' || id as target, coalesce(nullif(nick_name, ''), username) as name from users
    where id = any(${users}::bigint[]) and ${isUserShown}
    union all
    select 'role ' || id, name from roles where id = any(${roles}::bigint[])
    union all
    select 'department ' || id, name from departments where id = any(${places}::bigint[]) and ${isDepartmentShown}
    union all
    ${deletedAmong(targets.filter((target) => target.startsWith('role ') || (isAll && target.startsWith('department '))))}
    `.execute(store);
  return new Map(rows.map(({ target, name }) => [target, name]));
}

/** Nobody changes what is gone, so its deletion is its last record. Everybody may know a role, whoever deleted it. */
function deletedAmong(targets: readonly string[]): RawBuilder<unknown> {
  return sql`
    select asked.target, last.before ->> 'name' from unnest(${targets}::text[]) as asked (target)
    cross join lateral (
      select action, before from audit_log where audit_log.target = asked.target order by id desc limit 1
    ) as last
    where last.action in ('role.delete', 'department.delete') and last.before ->> 'name' is not null`;
}

function idsOf(kind: string, targets: readonly string[]): number[] {
  return targets
    .filter((target) => target.startsWith(`${kind} `))
    .map((target) => Number(target.slice(kind.length + 1)))
    .filter(Number.isSafeInteger);
}
