// SQL of the last administrator: whoever is the only one left cannot be taken away.
import { AppError } from '@portcullis/contract';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import { adminRoleId } from '../roles/role-store.ts';
import { noPassword } from './user-store.ts';

/** Before the user is disabled, deleted or given another role, in the same transaction. */
export async function keepAnAdministrator(transaction: StoreTransaction, userId: number): Promise<void> {
  // One at a time: of two who take each other away at once, each would still see the other.
  await transaction.selectFrom('roles').select('id').where('id', '=', adminRoleId).forNoKeyUpdate().execute();
  const other = await transaction
    .selectFrom('users')
    .select('id')
    .where('role_id', '=', adminRoleId)
    // A program opens no console.
    .where('kind', '=', 'person')
    .where('enabled', '=', true)
    .where('deleted_at', 'is', null)
    // An invited person who has set no password yet, and a person who needs a provider, cannot be relied on.
    .where('password_hash', '<>', noPassword)
    .where('decided_by_provider', '=', false)
    .where('id', '<>', userId)
    .limit(1)
    .executeTakeFirst();
  if (other === undefined) throw new AppError('conflict');
}
