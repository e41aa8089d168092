// Applies a provider's group mapping at a login: with the role source `always`, gives the account the role and department of the
// person's groups, and refuses a person without a matching mapping. The last administrator keeps the role, whatever the groups are.
import { type Account, AppError } from '@portcullis/contract';
import type { AccessWriter } from '../../../cluster/access-writer.ts';
import type { Store } from '../../../cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '../../../logs/audit/record-change.ts';
import { changeUser, lockUser, setUserRole } from '../../../people/users/user-access-store.ts';
import { findAccountOf } from '../../../people/users/user-store.ts';
import { callOf } from '../../mfa/login-caller.ts';
import { lockUnchangedProvider, type StoredProvider } from '../provider-store.ts';
import { createGroupMap } from './map-groups.ts';
import { listMappings } from './mapping-store.ts';

export interface RoleAndDepartment {
  readonly roleId: number;
  readonly departmentId: number;
}

interface GroupMappingInput {
  readonly provider: StoredProvider;
  /** Undefined when they are not known: then the only mapping that can match is a star in the first position. */
  readonly groups: readonly string[] | undefined;
  readonly found: { readonly account: Account; readonly roleEnabled: boolean };
  readonly ip: string;
  readonly requestId: string;
}

/** Returns the account after the change; undefined when the login is refused. */
export type ApplyGroupMapping = (input: GroupMappingInput) => Promise<Account | undefined>;

/** Returns the role and department of a new user; undefined when no user is created. */
export type FindRoleAndDepartment = (
  provider: StoredProvider,
  groups: readonly string[] | undefined,
) => Promise<RoleAndDepartment | undefined>;

interface UserMove {
  readonly provider: Pick<StoredProvider, 'id' | 'epoch'>;
  readonly userId: number;
  /** Without a department, the user keeps the current one. */
  readonly to: { readonly roleId: number; readonly departmentId: number | null };
}

interface GroupMappingOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
}

export function createFindRoleAndDepartment({
  store,
}: Pick<GroupMappingOptions, 'store'>): FindRoleAndDepartment {
  return async (provider, groups) => {
    const { roleId, departmentId } = provider;
    const standard = roleId === null || departmentId === null ? undefined : { roleId, departmentId };
    if (provider.roleSource === 'local') return standard;
    const mappings = await listMappings(store, provider.id);
    const mapped = createGroupMap(provider.kind, mappings)(groups);
    // An unknown group may be mapped to another role.
    if (mapped === undefined && groups === undefined && mappings.length > 0) return undefined;
    if (mapped === undefined) return provider.roleSource === 'first_login' ? standard : undefined;
    const mappedTo = mapped.departmentId ?? departmentId;
    return mappedTo === null ? undefined : { roleId: mapped.roleId, departmentId: mappedTo };
  };
}

/** Moves one user to a role and a department. The current ones are read under the lock; false when they are the same. */
export function createMoveUser({ recordChange }: Pick<GroupMappingOptions, 'recordChange'>) {
  return async (
    write: AccessWriter['give' | 'takeAway'],
    call: AuditedCall,
    { provider, userId, to: { roleId, departmentId } }: UserMove,
  ): Promise<boolean> => {
    let isMoved = false;
    await write(call, async (transaction) => {
      const user = await lockUser(transaction, userId);
      const before = { roleId: user.roleId, departmentId: user.departmentId };
      const after = { roleId, departmentId: departmentId ?? user.departmentId };
      isMoved = before.roleId !== after.roleId || before.departmentId !== after.departmentId;
      if (!isMoved) return [];
      await lockUnchangedProvider(transaction, provider);
      const moved = await changeUser(transaction, user, {
        name: user.name,
        departmentId: after.departmentId,
      });
      const changes = await setUserRole(transaction, user, after.roleId);
      const entry = { before, after: { ...after, providerId: provider.id } };
      await recordChange(transaction, call, { action: 'user.role', target: `user ${userId}`, ...entry });
      return [...moved, ...changes];
    });
    return isMoved;
  };
}

export function createApplyGroupMapping({
  store,
  access,
  recordChange,
}: GroupMappingOptions): ApplyGroupMapping {
  const moveUser = createMoveUser({ recordChange });

  return async (input) => {
    const { provider, groups, found, ip, requestId } = input;
    const { account } = found;
    if (provider.roleSource !== 'every_login') return found.roleEnabled ? account : undefined;
    const mapped = createGroupMap(provider.kind, await listMappings(store, provider.id))(groups);
    if (mapped === undefined) return undefined;
    const call = callOf({ account, ip, requestId });
    const move = { provider, userId: account.userId, to: mapped };
    await moveUser(access.takeAway, call, move).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.kind !== 'conflict') throw error;
    });
    const moved = await findAccountOf(store, account.userId);
    return moved?.userEnabled === true && moved.roleEnabled ? moved.account : undefined;
  };
}
