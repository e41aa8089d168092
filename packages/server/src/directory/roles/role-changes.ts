// The changes of a role, each in its transaction: lock, ask whether the caller may, change, write it down. `admin` is
// what every check rests on, and stays as it is.
import { isDeepStrictEqual } from 'node:util';
import {
  AppError,
  type Call,
  type Caller,
  type createRoleEndpoint,
  type RoleDetail,
  type setRoleDataScopeEndpoint,
} from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import type { AuditedCall, RecordChange } from '../../audit/record-change.ts';
import type { AccessChange } from '../../cluster/access-writer.ts';
import type { StoreTransaction } from '../../store/store.ts';
import { isAdminLookAlike } from './admin-look-alike.ts';
import { type MayDoAll, mayGiveScope, type Scope } from './may-give.ts';
import {
  deleteRole,
  disableRole,
  enableRole,
  insertRole,
  renameRole,
  setDataScope,
} from './role-access-store.ts';
import { findRole, lockRole } from './role-store.ts';

type ChangeCall = AuditedCall & { readonly params: { readonly id: number } };
type ScopeBody = Call<typeof setRoleDataScopeEndpoint>['body'];

interface RoleChangesOptions {
  readonly recordChange: RecordChange;
  readonly mayDoAll: MayDoAll;
}

interface RoleChange {
  readonly action: string;
  readonly lock?: 'for update';
  readonly write: (transaction: StoreTransaction, role: RoleDetail) => Promise<Change[]>;
}

export function createRoleChanges({ recordChange, mayDoAll }: RoleChangesOptions) {
  function changeOf(call: ChangeCall, { action, lock, write }: RoleChange): AccessChange {
    const { id } = call.params;
    return async (transaction) => {
      const before = await lockRole(transaction, id, lock ?? 'for no key update');
      if (before === undefined) throw new AppError('record_not_found');
      if (before.roleKey === 'admin') throw new AppError('conflict');
      await checkScope(transaction, call.caller, before);
      const changes = await write(transaction, before);
      const after = (await findRole(transaction, id)) ?? null;
      if (!isDeepStrictEqual(before, after))
        await recordChange(transaction, call, { action, target: `role ${id}`, before, after });
      return changes;
    };
  }

  return {
    async create(
      transaction: StoreTransaction,
      call: AuditedCall & { readonly body: Call<typeof createRoleEndpoint>['body'] },
    ) {
      const { roleKey, name } = call.body;
      if (isAdminLookAlike(roleKey)) throw new AppError('conflict');
      const scope = scopeOf(call.body);
      await checkScope(transaction, call.caller, scope);
      const created = await insertRole(transaction, { roleKey, name, ...scope });
      const after = await findRole(transaction, created.id);
      const target = `role ${created.id}`;
      await recordChange(transaction, call, { action: 'role.create', target, before: null, after });
      return created;
    },
    change: (call: ChangeCall & { readonly body: ScopeBody & { readonly name: string } }) =>
      changeOf(call, {
        action: 'role.change',
        write: async (transaction, role) => {
          await renameRole(transaction, role.id, call.body.name);
          return await changeScope(transaction, call.caller, role, scopeOf(call.body));
        },
      }),
    setDataScope: (call: ChangeCall & { readonly body: ScopeBody }) =>
      changeOf(call, {
        action: 'role.data_scope',
        write: (transaction, role) => changeScope(transaction, call.caller, role, scopeOf(call.body)),
      }),
    disable: (call: ChangeCall) => changeOf(call, { action: 'role.disable', write: disableRole }),
    /** Gives the role's users everything that it may: as much as giving it to them. */
    enable: (call: ChangeCall) =>
      changeOf(call, {
        action: 'role.enable',
        write: async (transaction, role) => {
          const isAdmin = call.caller.roleKey === 'admin';
          if (!isAdmin && !mayDoAll(call.caller.roleKey, role.roleKey))
            throw new AppError('permission_denied');
          return await enableRole(transaction, role);
        },
      }),
    delete: (call: ChangeCall) =>
      changeOf(call, { action: 'role.delete', lock: 'for update', write: deleteRole }),
  };
}

async function changeScope(
  transaction: StoreTransaction,
  caller: Caller,
  role: RoleDetail,
  scope: Scope,
): Promise<Change[]> {
  await checkScope(transaction, caller, scope);
  return await setDataScope(transaction, role, scope);
}

async function checkScope(transaction: StoreTransaction, caller: Caller, scope: Scope): Promise<void> {
  if (!(await mayGiveScope(transaction, caller, scope))) throw new AppError('permission_denied');
}

function scopeOf({ dataScope, departmentIds }: ScopeBody): Scope {
  if (dataScope !== '2') return { dataScope, departmentIds: [] };
  if (departmentIds === undefined) throw new AppError('params_invalid');
  return { dataScope, departmentIds };
}
