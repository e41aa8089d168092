// SQL of changes of departments. Every check of a data scope reads these tables and no process caches them, so a change takes
// effect with its commit.
import { AppError } from '@portcullis/contract';
import { sql } from 'kysely';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import { isVisible, type Scoped, upwardsFrom } from './data-scope-store.ts';

export interface DepartmentRecord {
  readonly id: number;
  readonly name: string;
  readonly parentId: number | null;
}

export interface StoredDepartment extends DepartmentRecord {
  readonly revision: number;
}

/** A department that the caller cannot see is reported as not found. */
export async function lockDepartment(
  transaction: StoreTransaction,
  scoped: Scoped,
  id: number,
  lock: 'for no key update' | 'for update' | 'for key share',
): Promise<StoredDepartment> {
  const { rows } = await sql<StoredDepartment>`
    select id, name, parent_id as "parentId", revision from departments
    where id = ${id} and ${isVisible(scoped, id)} ${sql.raw(lock)}`.execute(transaction);
  if (rows[0] === undefined) throw new AppError('record_not_found');
  return rows[0];
}

export async function insertDepartment(
  transaction: StoreTransaction,
  { name, parentId }: Omit<DepartmentRecord, 'id'>,
): Promise<number> {
  const { id } = await transaction
    .insertInto('departments')
    .values({ name, parent_id: parentId })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function updateDepartment(
  transaction: StoreTransaction,
  { id, name, parentId }: DepartmentRecord,
): Promise<void> {
  await transaction
    .updateTable('departments')
    .set({ name, parent_id: parentId })
    .where('id', '=', id)
    .execute();
}

/** Whether the first department is the second or lies below it. */
export async function isInside(transaction: StoreTransaction, id: number, outerId: number): Promise<boolean> {
  const { rows } = await sql`
    select from (${upwardsFrom(id)}) as above where id = ${outerId}`.execute(transaction);
  return rows.length > 0;
}

/** Throws unless the department is empty. Deleted users lose the reference to it; their rows stay because of the epoch. */
export async function deleteDepartment(transaction: StoreTransaction, id: number): Promise<void> {
  const { rows } = await sql`
    select where exists (select from departments where parent_id = ${id})
      or exists (select from users where department_id = ${id} and deleted_at is null)
      or exists (select from providers where department_id = ${id})
      or exists (select from provider_mappings where department_id = ${id})`.execute(transaction);
  if (rows.length > 0) throw new AppError('conflict');
  await transaction
    .updateTable('users')
    .set({ department_id: null })
    .where('department_id', '=', id)
    .execute();
  await transaction.deleteFrom('departments').where('id', '=', id).execute();
}
