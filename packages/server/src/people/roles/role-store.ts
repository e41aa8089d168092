// SQL that reads and locks roles.
import { dataScopeOf, type RoleDetail, type RoleItem } from '@portcullis/contract';
import type { Role } from '@portcullis/gate';
import { sql } from 'kysely';
import { Type } from 'typebox';
import { createCursor } from '../../cluster/store/cursor.ts';
import { createPage } from '../../cluster/store/page.ts';
import type { Store } from '../../cluster/store/store.ts';

/** The id of the role `admin` (a constraint of the database). Queries by this id use an index and do not read millions of users. */
export const adminRoleId = 1;

const cursor = createCursor(Type.Object({ roleKey: Type.String({ pattern: '^[^\\u0000]*$' }) }));
const columns = ['id', 'role_key', 'name', 'data_scope', 'enabled', 'created_at', 'revision'] as const;

export async function listEnabledRoles(store: Store): Promise<Role[]> {
  const rows = await store
    .selectFrom('roles')
    .select(['id', 'role_key', 'data_scope'])
    .where('enabled', '=', true)
    .execute();
  return rows.map((row) => ({ id: row.id, roleKey: row.role_key, dataScope: dataScopeOf(row.data_scope) }));
}

export async function isRoleEnabled(store: Store, roleKey: string): Promise<boolean> {
  const role = await store
    .selectFrom('roles')
    .select('id')
    .where('role_key', '=', roleKey)
    .where('enabled', '=', true)
    .executeTakeFirst();
  return role !== undefined;
}

export async function listRoles(store: Store, query: { after: string | undefined; limit: number }) {
  const rows = await store
    .selectFrom('roles')
    .select(columns)
    .where('role_key', '>', cursor.read(query.after)?.roleKey ?? '')
    .orderBy('role_key')
    .limit(query.limit + 1)
    .execute();
  return createPage(rows, query.limit, {
    itemOf,
    positionOf: ({ role_key: roleKey }) => ({ roleKey }),
    cursor,
  });
}

export async function findRole(store: Store, id: number): Promise<RoleDetail | undefined> {
  const row = await store.selectFrom('roles').select(columns).where('id', '=', id).executeTakeFirst();
  if (row === undefined) return undefined;
  return { ...itemOf(row), departmentIds: await listRoleDepartments(store, id) };
}

/** Sorted by id. */
export async function listRoleDepartments(store: Store, roleId: number): Promise<number[]> {
  const rows = await store
    .selectFrom('role_departments')
    .select('department_id')
    .where('role_id', '=', roleId)
    .orderBy('department_id')
    .execute();
  return rows.map((row) => row.department_id);
}

interface RoleRow {
  readonly id: number;
  readonly role_key: string;
  readonly name: string;
  readonly data_scope: string;
  readonly enabled: boolean;
  readonly created_at: Date;
  readonly revision: number;
}

function itemOf({ id, role_key: roleKey, name, data_scope, created_at, ...row }: RoleRow): RoleItem {
  const { enabled, revision } = row;
  const dataScope = dataScopeOf(data_scope);
  return { id, roleKey, name, dataScope, enabled, createdAt: created_at.toISOString(), revision };
}

/** Until the transaction ends, no other transaction can change the role; with `for update`, none can refer to it either. */
export async function lockRole(
  transaction: Store,
  id: number,
  lock: 'for no key update' | 'for update',
): Promise<RoleDetail | undefined> {
  await sql`select from roles where id = ${id} ${sql.raw(lock)}`.execute(transaction);
  return await findRole(transaction, id);
}
