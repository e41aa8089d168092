// SQL of what an administrator changes about a role. Each function runs in the transaction that numbers its
// changes, and returns none where all was so already.
import { AppError, type DataScope, dataScopeOf } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Change } from '../cluster/change.ts';
import type { StoreTransaction } from '../store/store.ts';

export async function disableRole(transaction: StoreTransaction, id: number): Promise<Change[]> {
  const { role_key: roleKey, enabled } = await lockRole(transaction, id);
  if (roleKey === 'admin') throw new AppError('conflict');
  if (!enabled) return [];
  await transaction.updateTable('roles').set({ enabled: false }).where('id', '=', id).execute();
  return [{ kind: 'role_disabled', id }];
}

export async function enableRole(transaction: StoreTransaction, id: number): Promise<Change[]> {
  const { role_key: roleKey, data_scope: dataScope, enabled } = await lockRole(transaction, id);
  if (enabled) return [];
  await transaction.updateTable('roles').set({ enabled: true }).where('id', '=', id).execute();
  return [{ kind: 'role_set', id, roleKey, dataScope: dataScopeOf(dataScope) }];
}

/** The departments are those of scope 2; any other scope has none. */
export async function setDataScope(
  transaction: StoreTransaction,
  id: number,
  { dataScope, departmentIds }: { dataScope: DataScope; departmentIds: readonly number[] },
): Promise<Change[]> {
  const role = await lockRole(transaction, id);
  const departmentsChanged = await replaceDepartments(transaction, id, departmentIds);
  if (role.data_scope === dataScope && !departmentsChanged) return [];
  await transaction.updateTable('roles').set({ data_scope: dataScope }).where('id', '=', id).execute();
  return role.enabled ? [{ kind: 'role_set', id, roleKey: role.role_key, dataScope }] : [];
}

/** Says whether they were others before. */
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

async function lockRole(transaction: StoreTransaction, id: number) {
  const role = await transaction
    .selectFrom('roles')
    .select(['role_key', 'data_scope', 'enabled'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (role === undefined) throw new AppError('record_not_found');
  return role;
}
