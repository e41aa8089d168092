// SQL of the import. It only adds rows.
import type { DataScope } from '@portcullis/contract';
import type { StoreTransaction } from '@portcullis/server/cluster/store/store.ts';
import { adminRoleId } from '@portcullis/server/people/roles/role-store.ts';
import type { NewUser } from '@portcullis/server/people/users/user-access-store.ts';
import { sql } from 'kysely';

/**
 * Raises the idle timeout of the transaction: reading the other database can take longer than a
 * request is allowed to be idle.
 */
export async function allowWaiting(transaction: StoreTransaction): Promise<void> {
  await sql`set local idle_in_transaction_session_timeout = '10min'`.execute(transaction);
}

export interface StoredDepartment {
  readonly id: number;
  readonly parentId: number | null;
  readonly name: string;
}

export async function listDepartments(transaction: StoreTransaction): Promise<StoredDepartment[]> {
  return await transaction
    .selectFrom('departments')
    .select(['id', 'parent_id as parentId', 'name'])
    .execute();
}

export async function insertDepartments(
  transaction: StoreTransaction,
  departments: readonly Omit<StoredDepartment, 'id'>[],
): Promise<StoredDepartment[]> {
  const parents = departments.map(({ parentId }) => parentId);
  const names = departments.map(({ name }) => name);
  const { rows } = await sql<StoredDepartment>`
    insert into departments (parent_id, name) select * from unnest(${parents}::bigint[], ${names}::text[])
    returning id, parent_id as "parentId", name`.execute(transaction);
  return rows;
}

export async function listRoleIds(transaction: StoreTransaction): Promise<Map<string, number>> {
  const rows = await transaction.selectFrom('roles').select(['id', 'role_key']).execute();
  return new Map(rows.map(({ id, role_key }) => [role_key, id]));
}

/** Before the first start of the service the role does not exist. */
export async function insertAdminRole(transaction: StoreTransaction, name: string): Promise<void> {
  const dataScope: DataScope = '1';
  await transaction
    .insertInto('roles')
    .values({ id: adminRoleId, role_key: 'admin', name, data_scope: dataScope })
    .execute();
}

export interface ImportedUser extends NewUser {
  readonly enabled: boolean;
}

/** Inserts users and returns the inserted rows. It skips a user whose name is in use. */
export async function insertUsers(
  transaction: StoreTransaction,
  users: readonly ImportedUser[],
): Promise<{ id: number; canonicalUsername: string }[]> {
  const of = <Key extends keyof ImportedUser>(key: Key) => users.map((user) => user[key]);
  const { rows } = await sql<{ id: number; canonicalUsername: string }>`
    insert into users (username, canonical_username, nick_name, department_id, role_id, password_hash, enabled)
    select * from unnest(${of('username')}::text[], ${of('canonicalUsername')}::text[], ${of('name')}::text[],
      ${of('departmentId')}::bigint[], ${of('roleId')}::bigint[], ${of('passwordHash')}::text[],
      ${of('enabled')}::boolean[])
    on conflict (canonical_username) where deleted_at is null do nothing
    returning id, canonical_username as "canonicalUsername"`.execute(transaction);
  return rows;
}

/** Of the names in use, those that this transaction inserted. */
export async function listOwnNames(
  transaction: StoreTransaction,
  names: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select canonical_username as name from users
    where canonical_username = any(${names}::text[]) and deleted_at is null and ${isOwn}`.execute(
    transaction,
  );
  return rows.map(({ name }) => name);
}

/** Returns the usernames of the deleted rows. */
export async function deleteOwnUsers(
  transaction: StoreTransaction,
  names: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ username: string }>`
    delete from users where canonical_username = any(${names}::text[]) and deleted_at is null and ${isOwn}
    returning username`.execute(transaction);
  return rows.map(({ username }) => username);
}

/** Whether this transaction wrote the row. */
const isOwn = sql`users.xmin = pg_current_xact_id()::xid`;

export async function hasDeletedUsers(transaction: StoreTransaction): Promise<boolean> {
  const { rows } = await sql`select from users where deleted_at is not null limit 1`.execute(transaction);
  return rows.length > 0;
}

/** Of these names, those of deleted users that no current user has. */
export async function listDeletedNames(
  transaction: StoreTransaction,
  names: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct canonical_username as name from users as gone
    where deleted_at is not null and canonical_username = any(${names}::text[]) and not exists (
      select from users where users.canonical_username = gone.canonical_username and users.deleted_at is null)`.execute(
    transaction,
  );
  return rows.map(({ name }) => name);
}

export async function hasAdministrator(transaction: StoreTransaction): Promise<boolean> {
  const { rows } = await sql`
    select from users where role_id = ${adminRoleId} and enabled and deleted_at is null limit 1`.execute(
    transaction,
  );
  return rows.length > 0;
}
