// Changes of roles: create, change, set the data scope, enable, disable and delete. Each runs in one transaction: lock, check that
// the caller can manage the role, change, write the audit record. `admin` cannot be changed, because every check relies on it.
import { isDeepStrictEqual } from 'node:util';
import {
  AppError,
  type Call,
  type changeRoleEndpoint,
  type createRoleEndpoint,
  type RoleDetail,
  type setRoleDataScopeEndpoint,
} from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import type { AccessChange } from '../../cluster/access-writer.ts';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '../../logs/audit/record-change.ts';
import { checkName } from '../check-name.ts';
import { checkRevision } from '../check-revision.ts';
import { isAdminLookAlike, readsLikeAdmin } from './admin-look-alike.ts';
import type { Scope } from './can-manage/can-manage.ts';
import type { CanManageCheck } from './can-manage/can-manage-check.ts';
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
  readonly canManage: Pick<CanManageCheck, 'ofRole' | 'ofNewRole'>;
}

interface RoleChange {
  /** The revision of the role on which the caller based the change. */
  readonly ifRevision?: number | undefined;
  readonly action: string;
  readonly lock?: 'for update';
  /** The data scope after the change. */
  readonly scope?: Scope | undefined;
  readonly write: (transaction: StoreTransaction, role: RoleDetail) => Promise<Change[]>;
}

export function createRoleChanges({ recordChange, canManage }: RoleChangesOptions) {
  function changeOf(call: ChangeCall, { ifRevision, action, lock, scope, write }: RoleChange): AccessChange {
    const { id } = call.params;
    return async (transaction) => {
      const before = await lockRole(transaction, id, lock ?? 'for no key update');
      if (before === undefined) throw new AppError('record_not_found');
      if (before.roleKey === 'admin') throw new AppError('conflict');
      await canManage.ofRole(transaction, call.caller, id, scope && { scope });
      const { name, dataScope, departmentIds, enabled } = before;
      const current = { name, dataScope, departmentIds, enabled };
      checkRevision(ifRevision, { revision: before.revision, current });
      const changes = await write(transaction, before);
      const found = await findRole(transaction, id);
      const [was, is] = [recordedOf(before), found === undefined ? null : recordedOf(found)];
      if (!isDeepStrictEqual(was, is))
        await recordChange(transaction, call, { action, target: `role ${id}`, before: was, after: is });
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
      checkRoleName(name);
      const scope = scopeOf(call.body);
      await canManage.ofNewRole(transaction, call.caller, scope);
      const created = await insertRole(transaction, { roleKey, name, ...scope });
      const found = await findRole(transaction, created.id);
      const after = found && recordedOf(found);
      const target = `role ${created.id}`;
      await recordChange(transaction, call, { action: 'role.create', target, before: null, after });
      return created;
    },
    change(call: ChangeCall & { readonly body: Call<typeof changeRoleEndpoint>['body'] }) {
      const { name, dataScope, departmentIds, ifRevision } = call.body;
      if (dataScope === undefined && departmentIds !== undefined) throw new AppError('params_invalid');
      const scope = dataScope === undefined ? undefined : scopeOf({ dataScope, departmentIds });
      return changeOf(call, {
        ifRevision,
        action: 'role.update',
        scope,
        write: async (transaction, role) => {
          if (name !== undefined && name !== role.name) {
            checkRoleName(name);
            await renameRole(transaction, role.id, name);
          }
          return scope === undefined ? [] : await setDataScope(transaction, role, scope);
        },
      });
    },
    setDataScope(call: ChangeCall & { readonly body: ScopeBody }) {
      const scope = scopeOf(call.body);
      const write: RoleChange['write'] = (transaction, role) => setDataScope(transaction, role, scope);
      const { ifRevision } = call.body;
      return changeOf(call, { ifRevision, action: 'role.data_scope', scope, write });
    },
    disable: (call: ChangeCall) => changeOf(call, { action: 'role.disable', write: disableRole }),
    enable: (call: ChangeCall) => changeOf(call, { action: 'role.enable', write: enableRole }),
    delete: (call: ChangeCall) =>
      changeOf(call, { action: 'role.delete', lock: 'for update', write: deleteRole }),
  };
}

function checkRoleName(name: string): void {
  checkName(name);
  if (readsLikeAdmin(name)) throw new AppError('name_unclear');
}

/** The audit record shows what changed, so it does not need the revision. */
function recordedOf({ revision: _revision, ...role }: RoleDetail): Omit<RoleDetail, 'revision'> {
  return role;
}

function scopeOf({
  dataScope,
  departmentIds,
}: Pick<ScopeBody, 'dataScope'> & { readonly departmentIds?: readonly number[] | undefined }): Scope {
  if (dataScope !== '2') return { dataScope, departmentIds: [] };
  if (departmentIds === undefined) throw new AppError('params_invalid');
  return { dataScope, departmentIds };
}
