// SQL of who is linked to a provider, and of moving many of them at once.
import type { Change } from '@portcullis/gate';
import { sql } from 'kysely';
import type { Move } from '../../cluster/move.ts';
import { adminRoleId } from '../../directory/roles/role-store.ts';
import { noPassword } from '../../directory/users/user-store.ts';
import type { Store, StoreTransaction } from '../../store/store.ts';
import type { LinkedUser, Place } from './plan-roles.ts';

/** In one order. With the groups that the provider named last. */
export async function listLinkedUsers(
  store: Store,
  providerId: number,
): Promise<(LinkedUser & { readonly groups: readonly string[] | null })[]> {
  const { rows } = await sql<LinkedUser & { groups: readonly string[] | null }>`
    select links.id as "linkId", links.subject, users.id as "userId", users.username,
      users.role_id as "roleId", users.department_id as "departmentId", links.groups
    from credentials as links join users on users.id = links.user_id
    where links.kind = 'link' and links.provider_id = ${providerId} and links.ended_at is null
      and users.deleted_at is null
    order by links.id`.execute(store);
  return rows;
}

/** Whether there is an administrator beside these, of those who count where one is taken away by hand. */
export async function hasOtherAdministrator(store: Store, without: readonly number[]): Promise<boolean> {
  const { rows } = await sql`
    select from users where role_id = ${adminRoleId} and enabled and deleted_at is null
      and kind = 'person' and password_hash <> ${noPassword} and id <> all(${without}::bigint[]) limit 1`.execute(
    store,
  );
  return rows.length > 0;
}

export interface MovedUser {
  readonly userId: number;
  readonly before: Place;
  readonly after: Place;
}

/** Those who still stand where they stood. Of who gets another role, every token that was issued before is void. */
export async function moveUsers(
  transaction: StoreTransaction,
  moved: readonly MovedUser[],
): Promise<{ readonly ids: ReadonlySet<number>; readonly changes: (Change | Move)[] }> {
  const roleIds = [...new Set(moved.map(({ after }) => after.roleId))];
  const departmentIds = [...new Set(moved.map(({ after }) => after.departmentId))];
  // They are there, and stay as they are until the transaction ends.
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
    where users.id = planned.id and users.role_id = role_before and users.department_id = department_before
      and users.deleted_at is null
    returning users.id, users.epoch, role <> role_before as raises, department <> department_before as moves`.execute(
    transaction,
  );
  return {
    ids: new Set(rows.map(({ id }) => id)),
    changes: rows.flatMap(({ id: userId, epoch, raises, moves }) => [
      ...(raises ? [{ kind: 'epoch_raised' as const, userId, epoch }] : []),
      ...(moves ? [{ kind: 'user_moved' as const, userId }] : []),
    ]),
  };
}
