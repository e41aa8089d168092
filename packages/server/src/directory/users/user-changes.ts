// How a user is changed: by a caller who sees the user and may give the user's role, in one transaction with its record.
// Whoever could reset the password of a mightier user would become that user.
import { AppError, type Caller, type User } from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import type { AuditedCall, RecordChange } from '../../audit/record-change.ts';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import type { Store, StoreTransaction } from '../../store/store.ts';
import { type ChangedUser, lockUser } from './user-access-store.ts';
import { findUser } from './user-list-store.ts';
import { isUserInScope, type ListDepartments, resolveUserScope, type UserScope } from './user-scope.ts';

export interface UserChangesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly listDepartments: ListDepartments;
  /** Whether the caller's own role reaches as far as the given one. */
  readonly mayGive: (giver: Caller, roleId: number) => Promise<boolean>;
  readonly recordChange: RecordChange;
}

export interface UserChange {
  /** What takes something away waits for every instance. */
  readonly way: 'takeAway' | 'give';
  /** Whether nobody may do it to themselves: by accident, or with a token that was left open. */
  readonly ofOthers: boolean;
  readonly action: string;
  readonly before: (user: ChangedUser) => unknown;
  readonly after: unknown;
  /** Whether the change is already applied. */
  readonly isDone: (user: ChangedUser) => boolean;
  /** Whether it is done where the user was deleted: a second call, after a first that could not be answered. */
  readonly isDoneByDeletion?: true;
  readonly apply: (transaction: StoreTransaction, user: ChangedUser) => Promise<Change[]>;
}

interface Changing extends AuditedCall {
  readonly params: { readonly id: number };
}

export interface UserChanges {
  /** Throws where the caller may not see the user. */
  getVisible(caller: Caller, id: number): Promise<{ user: User; scope: UserScope; isDeleted: boolean }>;
  /** Throws where the role reaches beyond what the caller may do. */
  checkGiven(caller: Caller, roleId: number): Promise<void>;
  /** Resolves with the revision. */
  change(call: Changing, change: UserChange): Promise<number>;
}

export function createUserChanges(options: UserChangesOptions): UserChanges {
  const { store, access, listDepartments, mayGive, recordChange } = options;

  async function getVisible(caller: Caller, id: number) {
    const scope = await resolveUserScope(caller, listDepartments);
    const found = await findUser(store, id);
    if (found === undefined || !isUserInScope(scope, found.user)) throw new AppError('record_not_found');
    return { ...found, scope };
  }

  async function checkGiven(caller: Caller, roleId: number): Promise<void> {
    if ((await mayGive(caller, roleId)) !== true) throw new AppError('permission_denied');
  }

  return {
    getVisible,
    checkGiven,
    async change(call, { way, ofOthers, action, before, after, isDone, isDoneByDeletion, apply }) {
      const { id } = call.params;
      const { user: seen, isDeleted } = await getVisible(call.caller, id);
      if (isDeleted && isDoneByDeletion !== true) throw new AppError('record_not_found');
      await checkGiven(call.caller, seen.roleId);
      if (ofOthers && id === call.caller.userId) throw new AppError('conflict');
      return await access[way](async (transaction) => {
        if (isDeleted) return [];
        const user = await lockUser(transaction, id);
        // The caller was judged by these.
        if (user.roleId !== seen.roleId || user.departmentId !== seen.departmentId)
          throw new AppError('conflict');
        if (isDone(user)) return [];
        const changes = await apply(transaction, user);
        await recordChange(transaction, call, { action, target: `user ${id}`, before: before(user), after });
        return changes;
      });
    },
  };
}
