// SQL of administrative changes of a role: create, enable, disable, rename, set the data scope and delete. Each function runs in
// the transaction that numbers its changes, on a locked role, and returns no change if it is already applied.

import { AppError, type RoleDetail } from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import { sql } from 'kysely';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import type { Scope } from './can-manage/can-manage.ts';

type KnownRole = Pick<RoleDetail, 'id' | 'roleKey' | 'dataScope' | 'enabled'>;

export async function insertRole(
  transaction: StoreTransaction,
  { roleKey, name, ...scope }: Scope & { roleKey: string; name: string },
): Promise<{ id: number; changes: Change[] }> {
  const row = await transaction
    .insertInto('roles')
    .values({ role_key: roleKey, name, data_scope: scope.dataScope })
    .onConflict((conflict) => conflict.column('role_key').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) throw new AppError('conflict');
  await replaceDepartments(transaction, row.id, scope.departmentIds);
  return { id: row.id, changes: [{ kind: 'role_set', id: row.id, roleKey, dataScope: scope.dataScope }] };
}

export async function disableRole(
  transaction: StoreTransaction,
  { id, enabled }: KnownRole,
): Promise<Change[]> {
  if (!enabled) return [];
  await transaction.updateTable('roles').set({ enabled: false }).where('id', '=', id).execute();
  return [{ kind: 'role_disabled', id }];
}

export async function enableRole(
  transaction: StoreTransaction,
  { id, roleKey, dataScope, enabled }: KnownRole,
): Promise<Change[]> {
  if (enabled) return [];
  await transaction.updateTable('roles').set({ enabled: true }).where('id', '=', id).execute();
  return [{ kind: 'role_set', id, roleKey, dataScope }];
}

export async function renameRole(transaction: StoreTransaction, id: number, name: string): Promise<void> {
  await transaction.updateTable('roles').set({ name }).where('id', '=', id).execute();
}

/** Only data scope 2 has departments. */
export async function setDataScope(
  transaction: StoreTransaction,
  { id, roleKey, enabled, dataScope: before }: KnownRole,
  { dataScope, departmentIds }: Scope,
): Promise<Change[]> {
  const departmentsChanged = await replaceDepartments(transaction, id, departmentIds);
  if (before === dataScope && !departmentsChanged) return [];
  await transaction.updateTable('roles').set({ data_scope: dataScope }).where('id', '=', id).execute();
  return enabled ? [{ kind: 'role_set', id, roleKey, dataScope }] : [];
}

/**
 * Deletes the role with its rules. Instances hold rules by role key: a later role with the same key must not get the old rules from
 * memory. Deleted users lose the reference to the role; their rows stay because of the epoch.
 */
export async function deleteRole(
  transaction: StoreTransaction,
  { id, roleKey }: KnownRole,
): Promise<Change[]> {
  const { rows } = await sql`
    select where exists (select from users where role_id = ${id} and deleted_at is null)
      or exists (select from providers where role_id = ${id})
      or exists (select from provider_mappings where role_id = ${id})`.execute(transaction);
  if (rows.length > 0) throw new AppError('conflict');
  await transaction.updateTable('users').set({ role_id: null }).where('role_id', '=', id).execute();
  const temporary = await transaction
    .deleteFrom('temporary_rules')
    .where('role_id', '=', id)
    .returning(['method', 'path'])
    .execute();
  const rules = await transaction
    .deleteFrom('rules')
    .where('role_id', '=', id)
    .returning(['method', 'path'])
    .execute();
  await transaction.deleteFrom('roles').where('id', '=', id).execute();
  return [
    { kind: 'role_disabled', id },
    ...rules.map((rule): Change => ({ kind: 'rule_removed', roleKey, ...rule })),
    ...temporary.map((rule): Change => ({ kind: 'temporary_rule_removed', roleKey, ...rule })),
  ];
}

/** Whether the departments changed. */
async function replaceDepartments(
  transaction: StoreTransaction,
  roleId: number,
  departmentIds: readonly number[],
): Promise<boolean> {
  const chosen = [...new Set(departmentIds)];
  const known = await transaction
    .selectFrom('departments')
    .select('id')
    .where('id', '=', sql<number>`any(${chosen}::bigint[])`)
    .forKeyShare()
    .execute();
  if (known.length < chosen.length) throw new AppError('record_not_found');
  const removed = await transaction
    .deleteFrom('role_departments')
    .where('role_id', '=', roleId)
    .where('department_id', '<>', sql<number>`all(${chosen}::bigint[])`)
    .executeTakeFirst();
  if (chosen.length === 0) return removed.numDeletedRows > 0n;
  const added = await transaction
    .insertInto('role_departments')
    .values(chosen.map((department_id) => ({ role_id: roleId, department_id })))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return removed.numDeletedRows > 0n || (added.numInsertedOrUpdatedRows ?? 0n) > 0n;
}
