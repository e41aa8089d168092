// SQL that reads users: accounts for a login, profiles, roles and password hashes. A deleted user is not found.
import { dataScopeOf } from '@portcullis/contract';
import { type RawBuilder, sql } from 'kysely';
import { canonicalUsername } from '../../base/values/canonical-username.ts';
import { prepared, type Store } from '../../cluster/store/store.ts';
import { adminRoleId } from '../roles/role-store.ts';

/** Stored in place of the hash for a user without a password: no password matches it. */
export const noPassword = '!';

/** Reads hash, role and epoch with one statement, so that a login cannot combine two states of the user. */
export async function findAccount(store: Store, username: string) {
  const canonical = canonicalUsername(username);
  if (!isStorable(canonical)) return undefined;
  return await readAccount(store, sql`users.canonical_username = ${canonical}`);
}

export async function findAccountOf(store: Store, userId: number) {
  return await readAccount(store, sql`users.id = ${userId}`);
}

interface AccountRow {
  readonly id: number;
  readonly username: string;
  readonly password_hash: string;
  readonly enabled: boolean;
  readonly epoch: number;
  readonly role_id: number;
  readonly password_due: boolean;
  readonly role_key: string;
  readonly data_scope: string;
  readonly role_enabled: boolean;
  readonly decided_by_provider: boolean;
}

/** The account as a subquery of another statement. Undefined if no user can have that name. */
export function selectAccount(username: string) {
  const canonical = canonicalUsername(username);
  if (!isStorable(canonical)) return undefined;
  return { query: accountBy(sql`users.canonical_username = ${canonical}`), read: storedAccountOf };
}

function accountBy(isMeant: RawBuilder<unknown>): RawBuilder<AccountRow> {
  return sql`select users.id, users.username, users.password_hash, users.enabled, users.epoch, users.role_id,
      users.password_due, users.decided_by_provider, roles.role_key, roles.data_scope, roles.enabled as role_enabled
    from users join roles on roles.id = users.role_id
    where ${isMeant} and users.deleted_at is null`;
}

async function readAccount(store: Store, isMeant: RawBuilder<unknown>) {
  const { rows } = await sql<AccountRow>`${prepared}${accountBy(isMeant)}`.execute(store);
  return rows[0] && storedAccountOf(rows[0]);
}

function storedAccountOf(row: AccountRow) {
  return {
    account: {
      userId: row.id,
      username: row.username,
      roleId: row.role_id,
      roleKey: row.role_key,
      dataScope: dataScopeOf(row.data_scope),
      epoch: row.epoch,
      ...dueOf(row),
    },
    passwordHash: row.password_hash,
    userEnabled: row.enabled,
    roleEnabled: row.role_enabled,
    isDecidedByProvider: row.decided_by_provider,
  };
}

/** Empty if the password can stay, so that the token has no such claim. */
function dueOf(row: { readonly password_due: boolean }): { readonly passwordDue?: true } {
  return row.password_due ? { passwordDue: true } : {};
}

/** Does nothing if the old hash is no longer stored. */
export async function replaceHash(
  store: Store,
  userId: number,
  oldHash: string,
  newHash: string,
): Promise<void> {
  await store
    .updateTable('users')
    .set({ password_hash: newHash })
    .where('id', '=', userId)
    .where('password_hash', '=', oldHash)
    .execute();
}

/** The cost of the costliest imported bcrypt hash, read from an index that contains only those hashes. */
export async function findHighestImportedCost(store: Store): Promise<number | undefined> {
  const cost = sql<string>`substr(password_hash, 5, 2)`;
  const row = await store
    .selectFrom('users')
    .select(cost.as('cost'))
    .where(sql<boolean>`password_hash ~ ${sql.lit('^\\$2[aby]\\$(0[4-9]|1[0-4])\\$')}`)
    .orderBy(cost, 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : Number(row.cost);
}

/** Postgres stores neither NUL nor a lone surrogate, so no stored name contains one. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

export async function findProfile(store: Store, userId: number) {
  return await store
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .innerJoin('departments', 'departments.id', 'users.department_id')
    .select(['users.id', 'users.username', 'users.nick_name', 'users.avatar', 'users.introduction'])
    .select(['users.department_id', 'users.created_at', 'departments.name as department_name'])
    .select(['roles.id as role_id', 'roles.name as role_name', 'roles.role_key', 'roles.data_scope'])
    .where('users.id', '=', userId)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Undefined if the user or the role is disabled. */
export async function findUserRole(store: Store, userId: number) {
  const row = await store
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .select(['roles.id', 'roles.role_key', 'roles.data_scope', 'users.password_due'])
    .where('users.id', '=', userId)
    .where('users.enabled', '=', true)
    .where('users.deleted_at', 'is', null)
    .where('roles.enabled', '=', true)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const role = { roleId: row.id, roleKey: row.role_key, dataScope: dataScopeOf(row.data_scope) };
  return { ...role, ...dueOf(row) };
}

/** Reads only users with the role `admin`, so that the start stays fast with millions of users. */
export async function listAdministratorsWithHash(store: Store, hashes: readonly string[]): Promise<string[]> {
  const rows = await store
    .selectFrom('users')
    .select('username')
    .where('role_id', '=', adminRoleId)
    .where('enabled', '=', true)
    .where('deleted_at', 'is', null)
    .where('password_hash', 'in', hashes)
    .execute();
  return rows.map((row) => row.username);
}
