// SQL of the first start: creates the first role, department and administrator.
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';

export async function hasUsers(store: Store): Promise<boolean> {
  return (await store.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Until the transaction ends, no other transaction can create a user. */
export async function lockUsers(transaction: StoreTransaction): Promise<void> {
  await sql`lock table users in share row exclusive mode`.execute(transaction);
}

export async function createFirstAdministrator(
  transaction: StoreTransaction,
  username: string,
  { passwordHash, passwordDue }: { readonly passwordHash: string; readonly passwordDue: boolean },
): Promise<void> {
  await transaction
    .insertInto('roles')
    .values({ id: 1, role_key: 'admin', name: 'Administrator', data_scope: '1' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const department = await transaction
    .insertInto('departments')
    .values({ name: 'Head office', parent_id: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  await transaction
    .insertInto('users')
    .values({
      username,
      canonical_username: username,
      nick_name: 'Administrator',
      department_id: department.id,
      role_id: 1,
      password_hash: passwordHash,
      password_due: passwordDue,
    })
    .execute();
}
