// SQL of the last administrator: whoever is the only one left cannot be taken away.
import { AppError } from '@portcullis/contract';
import type { StoreTransaction } from '../../store/store.ts';
import { adminRoleId } from '../roles/role-store.ts';

/** Before the user is disabled, deleted or given another role, in the same transaction. */
export async function keepAnAdministrator(transaction: StoreTransaction, userId: number): Promise<void> {
  // One at a time: of two who take each other away at once, each would still see the other.
  await transaction.selectFrom('roles').select('id').where('id', '=', adminRoleId).forNoKeyUpdate().execute();
  const other = await transaction
    .selectFrom('users')
    .select('id')
    .where('role_id', '=', adminRoleId)
    .where('enabled', '=', true)
    .where('deleted_at', 'is', null)
    .where('id', '<>', userId)
    .limit(1)
    .executeTakeFirst();
  if (other === undefined) throw new AppError('conflict');
}
