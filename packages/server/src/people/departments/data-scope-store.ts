// SQL of data scopes: the departments whose rows a caller can see.
import type { DataScope } from '@portcullis/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../../cluster/store/store.ts';

export interface Scoped {
  readonly userId: number;
  readonly roleId: number;
  readonly dataScope: DataScope;
}

/** Undefined if the scope does not consist of departments: all rows (1), or only the caller's own (5). */
export async function listDepartmentsInScope(store: Store, scoped: Scoped): Promise<number[] | undefined> {
  const query = departmentsOfScope(scoped);
  if (query === undefined) return undefined;
  const { rows } = await query.execute(store);
  return rows.map(({ id }) => id);
}

/** The departments that a caller can see, as a query of their ids; undefined if the caller can see all. */
export function visibleDepartments(scoped: Scoped): RawBuilder<{ id: number }> | undefined {
  return scoped.dataScope === '1' ? undefined : (departmentsOfScope(scoped) ?? ownDepartment(scoped));
}

/** Whether the caller can see this department. Searches upwards from it: the caller's department can have 100,000 below it. */
export function isVisible(scoped: Scoped, id: number): RawBuilder<boolean> {
  const visible = visibleDepartments(scoped);
  if (visible === undefined) return sql`true`;
  if (scoped.dataScope !== '4') return sql`${id}::bigint in (${visible})`;
  return sql`exists (select from (${upwardsFrom(id)}) as above where id = (${ownDepartment(scoped)}))`;
}

/** The department and all its ancestors, as a query of their ids. */
export function upwardsFrom(id: number): RawBuilder<{ id: number }> {
  return sql`with recursive above (id, parent_id) as (
      select id, parent_id from departments where id = ${id}
      union select departments.id, departments.parent_id
      from departments join above on departments.id = above.parent_id
    ) select id from above`;
}

function departmentsOfScope(scoped: Scoped): RawBuilder<{ id: number }> | undefined {
  switch (scoped.dataScope) {
    case '2':
      return sql`select department_id as id from role_departments where role_id = ${scoped.roleId}`;
    case '3':
      return ownDepartment(scoped);
    case '4':
      return sql`with recursive below (id) as (
          ${ownDepartment(scoped)}
          union select departments.id from departments join below on departments.parent_id = below.id
        ) select id from below`;
    default:
      return undefined;
  }
}

export const ownDepartment = ({ userId }: Scoped): RawBuilder<{ id: number }> =>
  sql`select department_id as id from users where id = ${userId}`;
