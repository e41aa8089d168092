// SQL of whose sessions a caller may end: those of the people whom the caller's data scope names. Nobody else's exist.
import { AppError } from '@portcullis/contract';
import { isUserInScope, type UserScope } from '../../directory/users/user-scope.ts';
import type { StoreTransaction } from '../../store/store.ts';

export async function checkUserInScope(
  transaction: StoreTransaction,
  scope: UserScope,
  userId: number | undefined,
): Promise<void> {
  if (scope.kind === 'all' || userId === undefined) return;
  const user = await transaction
    .selectFrom('users')
    .select(['id', 'department_id as departmentId'])
    .where('id', '=', userId)
    .executeTakeFirst();
  if (user === undefined || !isUserInScope(scope, user)) throw new AppError('record_not_found');
}

/** Also of one that was ended before: a second call must not tell more than the first. */
export async function checkSessionInScope(
  transaction: StoreTransaction,
  scope: UserScope,
  jti: string,
): Promise<void> {
  const owner = await transaction
    .selectFrom('sessions')
    .select('user_id')
    .where('jti', '=', jti)
    .unionAll((from) => from.selectFrom('revocations').select('user_id').where('jti', '=', jti))
    .limit(1)
    .executeTakeFirst();
  await checkUserInScope(transaction, scope, owner?.user_id);
}
