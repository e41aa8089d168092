// SQL that checks whose sessions a caller is allowed to end: the users in the caller's data scope. Every other session is
// answered like one that does not exist.
import { AppError } from '@portcullis/contract';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import { isUserInScope, type UserScope } from '../../people/users/user-scope.ts';

export interface SessionOwner {
  readonly id: number;
  readonly roleId: number;
  readonly departmentId: number;
}

/** Undefined if the user has been deleted. Throws `record_not_found` if the scope does not contain the user. */
export async function findUserInScope(
  transaction: StoreTransaction,
  scope: UserScope,
  userId: number,
): Promise<SessionOwner | undefined> {
  const user = await transaction
    .selectFrom('users')
    .select(['id', 'role_id as roleId', 'department_id as departmentId', 'deleted_at'])
    .where('id', '=', userId)
    .executeTakeFirst();
  if (scope.kind !== 'all' && (user === undefined || !isUserInScope(scope, user)))
    throw new AppError('record_not_found');
  return user?.deleted_at === null ? user : undefined;
}

/** Also finds the owner of an ended session: a second call must not reveal more than the first. */
export async function findSessionOwner(
  transaction: StoreTransaction,
  scope: UserScope,
  jti: string,
): Promise<SessionOwner | undefined> {
  const session = await transaction
    .selectFrom('sessions')
    .select('user_id')
    .where('jti', '=', jti)
    .unionAll((from) => from.selectFrom('revocations').select('user_id').where('jti', '=', jti))
    .limit(1)
    .executeTakeFirst();
  return session && (await findUserInScope(transaction, scope, session.user_id));
}
