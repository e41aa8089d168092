// SQL that finds the names behind the ids in audit records, as far as the caller is allowed to see them.
import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../../cluster/store/store.ts';
import type { Actors } from './audit-store.ts';

/** By target of a record, such as `user 7`. */
export type Names = ReadonlyMap<string, string>;

/** Deleted users keep their names; the name of a deleted role or department is in its last record. */
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

/**
 * The deletion is the last record of a role or department. Every caller is allowed to know a role, regardless of who deleted it.
 */
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
