// SQL that reads the users who are linked to a provider, and moves many users to other roles and departments at once.
import type { Change } from '@portcullis/gate';
import { sql } from 'kysely';
import type { ScopeChange } from '../../../cluster/scope-change.ts';
import { readAllById } from '../../../cluster/store/read-all-by-id.ts';
import type { Store, StoreTransaction } from '../../../cluster/store/store.ts';
import { adminRoleId } from '../../../people/roles/role-store.ts';
import { noPassword } from '../../../people/users/user-store.ts';
import type { LinkedUser, PlannedPlacement } from './plan-roles.ts';

/** With the groups that the provider named at the last login. */
export interface StoredUser extends LinkedUser {
  readonly groups: readonly string[] | null;
}

const linkedUsers = sql`
  select links.id, links.id as "linkId", links.subject, users.id as "userId", users.username,
    users.role_id as "roleId", users.department_id as "departmentId", links.groups,
    array_remove(array[
      case when not users.decided_by_provider and users.password_hash like '$%' then 'password' end,
      case when not users.decided_by_provider and exists (
        select from credentials where user_id = users.id and kind = 'passkey' and confirmed_at is not null and ended_at is null
      ) then 'passkey' end,
      case when exists (
        select from credentials as others join providers on providers.id = others.provider_id and providers.enabled
        where others.user_id = users.id and others.kind = 'link' and others.ended_at is null and others.id <> links.id
          and (providers.kind = 'ldap' or not exists (
            select from credentials as own join providers as directories on directories.id = own.provider_id
            where own.user_id = users.id and own.kind = 'link' and own.ended_at is null and directories.kind = 'ldap'))
      ) then 'provider' end
    ], null) as "left"
  from credentials as links join users on users.id = links.user_id
  where links.kind = 'link' and links.ended_at is null and users.deleted_at is null`;

/** Sorted by link. */
export async function listLinkedUsers(store: Store, providerId: number): Promise<StoredUser[]> {
  return await readAllById((after, most) =>
    sql<StoredUser & { id: number }>`
      ${linkedUsers} and links.provider_id = ${providerId} and links.id > ${after}
      order by links.id limit ${most}`.execute(store),
  );
}

/** Locks the rows of the users until the transaction ends, and reads them. Sorted, so that two calls do not deadlock. */
export async function lockLinkedUsers(
  transaction: StoreTransaction,
  linkIds: readonly number[],
): Promise<StoredUser[]> {
  const { rows } = await sql<StoredUser>`
    ${linkedUsers} and links.id = any(${linkIds}::bigint[]) order by users.id for no key update of users`.execute(
    transaction,
  );
  return rows;
}

/** Whether there is another administrator. It counts the same users as `requireOtherAdministrator`, the check of a single change. */
export async function hasOtherAdministrator(store: Store, without: readonly number[]): Promise<boolean> {
  const { rows } = await sql`
    select from users where role_id = ${adminRoleId} and enabled and deleted_at is null
      and kind = 'person' and password_hash <> ${noPassword} and not decided_by_provider and id <> all(${without}::bigint[]) limit 1`.execute(
    store,
  );
  return rows.length > 0;
}

export interface MovedUser {
  readonly userId: number;
  readonly before: PlannedPlacement;
  readonly after: PlannedPlacement;
}

/** Moves users whose rows are locked. A new role raises the user's epoch, which revokes every token that was issued before. */
export async function moveUsers(
  transaction: StoreTransaction,
  moved: readonly MovedUser[],
): Promise<(Change | ScopeChange)[]> {
  if (moved.length === 0) return [];
  const roleIds = [...new Set(moved.map(({ after }) => after.roleId))];
  const departmentIds = [...new Set(moved.map(({ after }) => after.departmentId))];
  // Locked, so that they exist until the transaction ends, and the roles do not change.
  await transaction
    .selectFrom('roles')
    .select('id')
    .where('id', 'in', roleIds)
    .orderBy('id')
    .forShare()
    .execute();
  await transaction
    .selectFrom('departments')
    .select('id')
    .where('id', 'in', departmentIds)
    .orderBy('id')
    .forKeyShare()
    .execute();
  const { rows } = await sql<{ id: number; epoch: number; raises: boolean; moves: boolean }>`
    update users set role_id = planned.role, department_id = planned.department,
      epoch = epoch + (role <> role_before)::int,
      epoch_raised_at = case when role <> role_before then now() else epoch_raised_at end
    from unnest(
      ${moved.map(({ userId }) => userId)}::bigint[],
      ${moved.map(({ before }) => before.roleId)}::bigint[],
      ${moved.map(({ before }) => before.departmentId)}::bigint[],
      ${moved.map(({ after }) => after.roleId)}::bigint[],
      ${moved.map(({ after }) => after.departmentId)}::bigint[]
    ) as planned (id, role_before, department_before, role, department)
    where users.id = planned.id
    returning users.id, users.epoch, role <> role_before as raises, department <> department_before as moves`.execute(
    transaction,
  );
  return rows.flatMap(({ id: userId, epoch, raises, moves }) => [
    ...(raises ? [{ kind: 'epoch_raised' as const, userId, epoch }] : []),
    ...(moves ? [{ kind: 'user_moved' as const, userId }] : []),
  ]);
}
