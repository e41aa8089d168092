// Begins the erasure of a person. The caller must see the person and be able to manage the person. The deletion of the account, the
// signed authorization and the audit record, which contains no name, commit in one transaction. When the call returns, every token
// of the person is revoked on every instance.
import { randomUUID } from 'node:crypto';
import { AppError, type Caller } from '@portcullis/contract';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import { findDeployment } from '../../cluster/store/deployment.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '../../logs/audit/record-change.ts';
import type { CanManageCheck } from '../roles/can-manage/can-manage-check.ts';
import { deleteUser, lockUser } from '../users/user-access-store.ts';
import { findUser } from '../users/user-list-store.ts';
import { isUserInScope, type ListDepartments, resolveUserScope } from '../users/user-scope.ts';
import {
  referenceOf,
  type SignedErasureAuthorization,
  signErasureAuthorization,
} from './erasure-authorization.ts';
import { findAccount, findErasure, insertErasure } from './erasure-store.ts';
import { eraseProviderLogouts } from './personal-data-store.ts';

export interface BeginOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly canManage: Pick<CanManageCheck, 'ofUser' | 'ofEverybody'>;
  readonly listDepartments: ListDepartments;
  /** The first key signs. */
  readonly keys: readonly [Buffer, ...Buffer[]];
  readonly now: () => number;
}

/** Finds a deleted person too. If the role or department was also deleted, only a caller who sees all users sees the person. */
export async function findPerson(
  { store, listDepartments }: Pick<BeginOptions, 'store' | 'listDepartments'>,
  caller: Caller,
  id: number,
) {
  const found = await findUser(store, id);
  if (found !== undefined) {
    const scope = await resolveUserScope(caller, listDepartments);
    if (!isUserInScope(scope, found.user)) throw new AppError('record_not_found');
    return found;
  }
  if (caller.dataScope !== '1' || (await findAccount(store, id)) === undefined)
    throw new AppError('record_not_found');
  return { user: undefined, isDeleted: true };
}

export function createBeginErasure(options: BeginOptions) {
  const { store, access, recordChange, canManage, keys, now } = options;

  async function createErasureAuthorization(
    transaction: StoreTransaction,
    userId: number,
  ): Promise<SignedErasureAuthorization> {
    const account = await findAccount(transaction, userId);
    if (account === undefined) throw new AppError('record_not_found');
    const deployment = await findDeployment(transaction);
    const reference = referenceOf(keys[0], deployment, account);
    const authorization = { id: randomUUID(), userId, reference, at: new Date(now()) };
    return { ...authorization, signature: signErasureAuthorization(keys[0], deployment, authorization) };
  }

  /** Resolves with the revision. A repeated call changes nothing. */
  return async (call: AuditedCall, id: number): Promise<number> => {
    const { user: seen, isDeleted } = await findPerson(options, call.caller, id);
    const isBegun = (await findErasure(store, id)) !== undefined;
    return await access.takeAway(call, async (transaction) => {
      const user = isDeleted ? seen : await lockUser(transaction, id);
      // These fields decided that the caller sees the person.
      if (user?.roleId !== seen?.roleId || user?.departmentId !== seen?.departmentId)
        throw new AppError('conflict');
      if (user === undefined) canManage.ofEverybody(call.caller);
      else await canManage.ofUser(transaction, call.caller, id, [user]);
      if (id === call.caller.userId) throw new AppError('conflict');
      if (isBegun) return [];
      await eraseProviderLogouts(transaction, id);
      const changes = isDeleted || user === undefined ? [] : await deleteUser(transaction, user);
      const authorization = await createErasureAuthorization(transaction, id);
      if (!(await insertErasure(transaction, authorization))) throw new AppError('conflict');
      const after = { erasure: authorization.id };
      await recordChange(transaction, call, {
        action: 'user.erase',
        target: `user ${id}`,
        before: null,
        after,
      });
      return changes;
    });
  };
}
