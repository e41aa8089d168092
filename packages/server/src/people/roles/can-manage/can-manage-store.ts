// SQL of the privilege escalation check: the departments of a role's holders (never the holders), the ancestors of departments,
// and the roles that see a department from above.
import type { Caller, RoleDetail } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../../cluster/store/store.ts';
import { findRole, listRoleDepartments } from '../role-store.ts';
import type { ManageableRows, Parents } from './can-manage.ts';
import { holdTree } from './department-tree-lock-store.ts';

/** The current department of the caller. */
async function readOwnDepartment(store: Store, userId: number): Promise<number | undefined> {
  const user = await store
    .selectFrom('users')
    .select('department_id')
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return user?.department_id;
}

async function readManageableRows(
  store: Store,
  { userId, roleId, dataScope }: Pick<Caller, 'userId' | 'roleId' | 'dataScope'>,
): Promise<ManageableRows> {
  if (dataScope === '1') return { kind: 'all' };
  if (dataScope === '5') return { kind: 'own' };
  if (dataScope === '2') return await readChosen(store, await listRoleDepartments(store, roleId));
  const departmentId = await readOwnDepartment(store, userId);
  if (departmentId === undefined) return { kind: 'own' };
  return dataScope === '4' ? { kind: 'below', departmentId } : await readChosen(store, [departmentId]);
}

async function readChosen(store: Store, departmentIds: readonly number[]): Promise<ManageableRows> {
  const { rows } = await sql<{ id: number }>`
    select chosen.id from unnest(${departmentIds}::bigint[]) as chosen (id)
    where exists (select from departments where parent_id = chosen.id
      and departments.id <> all(${departmentIds}::bigint[]))`.execute(store);
  return { kind: 'departments', departmentIds: new Set(departmentIds), gaps: rows.map(({ id }) => id) };
}

/**
 * The departments of all other holders of the role. The query steps from one department to the next along an index (loose index
 * scan): it takes one step for each department, however many holders there are.
 */
async function listHolderDepartments(
  store: Store,
  { roleId, exceptUserId }: { readonly roleId: number; readonly exceptUserId: number },
): Promise<number[]> {
  const next = (after: ReturnType<typeof sql>) => sql`
    select department_id from users
    where role_id = ${roleId} and deleted_at is null and id <> ${exceptUserId} and department_id > ${after}
    order by department_id limit 1`;
  const { rows } = await sql<{ id: number }>`
    with recursive held (id) as (
      (${next(sql`0`)})
      union all select (${next(sql`held.id`)}) from held where held.id is not null
    ) select id from held where id is not null`.execute(store);
  return rows.map(({ id }) => id);
}

async function readParents(store: Store, departmentIds: readonly number[]): Promise<Parents> {
  if (departmentIds.length === 0) return new Map();
  const { rows } = await sql<{ id: number; parentId: number | null }>`
    with recursive above (id, parent_id) as (
      select id, parent_id from departments where id = any(${departmentIds}::bigint[])
      union select departments.id, departments.parent_id
      from departments join above on departments.id = above.parent_id
    ) select id, parent_id as "parentId" from above`.execute(store);
  return new Map(rows.map(({ id, parentId }) => [id, parentId]));
}

/** Roles with holders in these departments who see everything below (data scope 4), each with the department. */
async function listViewersFrom(
  store: Store,
  departmentIds: readonly number[],
): Promise<{ roleId: number; departmentId: number }[]> {
  const { rows } = await sql<{ roleId: number; departmentId: number }>`
    select roles.id as "roleId", place.id as "departmentId"
    from roles cross join unnest(${departmentIds}::bigint[]) as place (id)
    where roles.data_scope = '4' and exists (
      select from users where role_id = roles.id and department_id = place.id and deleted_at is null
    )`.execute(store);
  return rows;
}

/** The roles with data scope 2 that name the department. */
async function listRolesThatChose(store: Store, departmentId: number): Promise<number[]> {
  const rows = await store
    .selectFrom('role_departments')
    .innerJoin('roles', 'roles.id', 'role_departments.role_id')
    .select('roles.id')
    .where('role_departments.department_id', '=', departmentId)
    .where('roles.data_scope', '=', '2')
    .execute();
  return rows.map(({ id }) => id);
}

/** Until the transaction ends, no other transaction can change the roles. */
async function holdRoles(
  transaction: StoreTransaction,
  roleIds: readonly number[],
): Promise<Map<number, RoleDetail>> {
  const wanted = [...new Set(roleIds)];
  await sql`select from roles where id = any(${wanted}::bigint[]) order by id for share`.execute(transaction);
  const roles = await Promise.all(wanted.map((id) => findRole(transaction, id)));
  return new Map(roles.flatMap((role) => (role === undefined ? [] : [[role.id, role]])));
}

export const canManageStore = {
  holdTree,
  holdRoles,
  findRole,
  readManageableRows,
  readOwnDepartment,
  listHolderDepartments,
  readParents,
  listViewersFrom,
  listRolesThatChose,
};
export type CanManageStore = {
  readonly [Name in keyof typeof canManageStore]: (typeof canManageStore)[Name];
};
