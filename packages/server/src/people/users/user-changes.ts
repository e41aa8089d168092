// Runs the administrative changes of an existing user. The caller must see the user, and be able to manage the user both before and
// after the change: otherwise a caller could take over a user with more rights by resetting the password (privilege escalation).
// The change and its audit record commit in one transaction.
import { AppError, type Caller, type User, type UserKind } from '@portcullis/contract';
import type { AccessChange, AccessWriter } from '../../cluster/access-writer.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '../../logs/audit/record-change.ts';
import { checkRevision } from '../check-revision.ts';
import type { CanManageCheck, UserState } from '../roles/can-manage/can-manage-check.ts';
import { type ChangedUser, lockUser } from './user-access-store.ts';
import { findUser } from './user-list-store.ts';
import { isUserInScope, type ListDepartments, resolveUserScope, type UserScope } from './user-scope.ts';

export interface UserChangesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly listDepartments: ListDepartments;
  readonly canManage: Pick<CanManageCheck, 'ofUser'>;
  readonly recordChange: RecordChange;
}

export interface UserChange {
  /** The kind of user to which it applies; every kind if undefined. */
  readonly kind?: UserKind;
  /** The revision of the user on which the caller based the change. */
  readonly ifRevision?: number | undefined;
  /** `takeAway` waits until every instance enforces the change. */
  readonly way: 'takeAway' | 'give';
  /** Whether callers are not allowed to do it to themselves, by accident or in a session that was left open. */
  readonly ofOthers: boolean;
  readonly action: string;
  readonly before: (user: ChangedUser) => unknown;
  readonly after: (user: ChangedUser) => unknown;
  /** Whether the change is already applied. */
  readonly isDone: (user: ChangedUser) => boolean;
  /** Whether the change counts as done for a deleted user: the call can be a retry after a lost answer. */
  readonly isDoneByDeletion?: true;
  /** The user's role and department after the change, if it changes them. */
  readonly becomes?: (user: ChangedUser) => UserState;
  readonly apply: (transaction: StoreTransaction, user: ChangedUser) => ReturnType<AccessChange>;
}

interface Changing extends AuditedCall {
  readonly params: { readonly id: number };
}

export interface UserChanges {
  /** Throws if the caller cannot see the user. */
  getVisible(caller: Caller, id: number): Promise<{ user: User; scope: UserScope; isDeleted: boolean }>;
  /** Resolves with the revision. */
  change(call: Changing, change: UserChange): Promise<number>;
}

export function createUserChanges(options: UserChangesOptions): UserChanges {
  const { store, access, listDepartments, canManage, recordChange } = options;

  async function getVisible(caller: Caller, id: number) {
    const scope = await resolveUserScope(caller, listDepartments);
    const found = await findUser(store, id);
    if (found === undefined || !isUserInScope(scope, found.user)) throw new AppError('record_not_found');
    return { ...found, scope };
  }

  return {
    getVisible,
    async change(call, change) {
      const { way, ofOthers, action, isDoneByDeletion, becomes, ifRevision } = change;
      const { id } = call.params;
      const { user: seen, isDeleted } = await getVisible(call.caller, id);
      if (isDeleted && isDoneByDeletion !== true) throw new AppError('record_not_found');
      if (change.kind !== undefined && change.kind !== seen.kind) throw new AppError('account_kind_wrong');
      return await access[way](call, async (transaction) => {
        const user = isDeleted ? seen : await lockUser(transaction, id);
        // These fields decided that the caller sees the user.
        if (user.roleId !== seen.roleId || user.departmentId !== seen.departmentId)
          throw new AppError('conflict');
        await canManage.ofUser(transaction, call.caller, id, becomes ? [user, becomes(user)] : [user]);
        if (ofOthers && id === call.caller.userId) throw new AppError('conflict');
        checkRevision(ifRevision, { revision: user.revision, current: currentOf(user) });
        if (isDeleted || change.isDone(user)) return [];
        const changes = await change.apply(transaction, user);
        const [target, before, after] = [`user ${id}`, change.before(user), change.after(user)];
        await recordChange(transaction, call, { action, target, before, after });
        return changes;
      });
    },
  };
}

function currentOf({ name, departmentId, roleId, enabled }: ChangedUser) {
  return { name, departmentId, roleId, enabled };
}
