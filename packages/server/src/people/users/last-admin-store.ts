// SQL check that protects the last administrator: rejects a change after which no administrator could sign in.
import { AppError } from '@portcullis/contract';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import { adminRoleId } from '../roles/role-store.ts';
import { noPassword } from './user-store.ts';

/** Called before the user is disabled, deleted or given another role, in the same transaction. */
export async function requireOtherAdministrator(
  transaction: StoreTransaction,
  userId: number,
): Promise<void> {
  // One change at a time: of two administrators who remove each other concurrently, each would still see the other.
  await transaction.selectFrom('roles').select('id').where('id', '=', adminRoleId).forNoKeyUpdate().execute();
  const other = await transaction
    .selectFrom('users')
    .select('id')
    .where('role_id', '=', adminRoleId)
    // A service account cannot open the console.
    .where('kind', '=', 'person')
    .where('enabled', '=', true)
    .where('deleted_at', 'is', null)
    // An invited person who has set no password yet, and a person who needs a provider, do not count: they might not be able to
    // sign in.
    .where('password_hash', '<>', noPassword)
    .where('decided_by_provider', '=', false)
    .where('id', '<>', userId)
    .limit(1)
    .executeTakeFirst();
  if (other === undefined) throw new AppError('conflict');
}
