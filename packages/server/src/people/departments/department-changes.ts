// Changes of the department tree: create, rename, move and delete, each in one transaction with its audit record. A caller
// without data scope 1 (all rows) changes only departments inside the caller's own scope, and moves none into or out of it. A
// move that would change what other users see is rejected unless the caller can manage them.
import { AppError, type Call, type changeDepartmentEndpoint } from '@portcullis/contract';
import type { ScopeChange } from '../../cluster/scope-change.ts';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '../../logs/audit/record-change.ts';
import { checkName } from '../check-name.ts';
import { checkRevision } from '../check-revision.ts';
import type { CanManageCheck } from '../roles/can-manage/can-manage-check.ts';
import { lockTree } from '../roles/can-manage/department-tree-lock-store.ts';
import {
  type DepartmentRecord,
  deleteDepartment,
  insertDepartment,
  isInside,
  lockDepartment,
  updateDepartment,
} from './department-write-store.ts';

export interface DepartmentChangesOptions {
  readonly recordChange: RecordChange;
  readonly canManage: Pick<CanManageCheck, 'ofDepartment' | 'ofMove' | 'ofDeletion'>;
}

type Fields = Omit<DepartmentRecord, 'id'>;

export function createDepartmentChanges({ recordChange, canManage }: DepartmentChangesOptions) {
  return {
    async create(transaction: StoreTransaction, call: AuditedCall, fields: Fields): Promise<number> {
      // The other scopes do not include the departments below one: the new department would be outside the caller's own scope.
      if (!['1', '4'].includes(call.caller.dataScope)) throw new AppError('exceeds_own_permissions');
      checkName(fields.name);
      await checkParent(transaction, call, fields.parentId);
      const id = await insertDepartment(transaction, fields);
      const [target, after] = [`department ${id}`, { id, ...fields }];
      await recordChange(transaction, call, { action: 'department.create', target, before: null, after });
      return id;
    },

    /** Fields that the body omits stay unchanged. */
    async change(
      transaction: StoreTransaction,
      call: Pick<Call<typeof changeDepartmentEndpoint>, 'params' | 'body'> & AuditedCall,
    ): Promise<ScopeChange[]> {
      const { id } = call.params;
      const { ifRevision, ...named } = call.body;
      await lockTree(transaction);
      const { revision, ...before } = await lockDepartment(transaction, call.caller, id, 'for no key update');
      const after = { ...before, ...named };
      const isMoved = before.parentId !== after.parentId;
      await canManage.ofDepartment(transaction, call.caller, id);
      checkRevision(ifRevision, { revision, current: { name: before.name, parentId: before.parentId } });
      if (isMoved) {
        await checkMove(transaction, call, after);
        const move = { id: after.id, from: before.parentId, to: after.parentId };
        await canManage.ofMove(transaction, call.caller, move);
      } else if (before.name === after.name) return [];
      checkName(after.name, before.name);
      await updateDepartment(transaction, after);
      const target = `department ${after.id}`;
      await recordChange(transaction, call, { action: 'department.update', target, before, after });
      return isMoved ? [{ kind: 'department_moved' }] : [];
    },

    async delete(transaction: StoreTransaction, call: AuditedCall, id: number): Promise<[]> {
      const { revision: _revision, ...before } = await lockDepartment(
        transaction,
        call.caller,
        id,
        'for update',
      );
      await canManage.ofDeletion(transaction, call.caller, id);
      await deleteDepartment(transaction, id);
      const target = `department ${id}`;
      await recordChange(transaction, call, { action: 'department.delete', target, before, after: null });
      return [];
    },
  };
}

async function checkMove(
  transaction: StoreTransaction,
  call: AuditedCall,
  { id, parentId }: DepartmentRecord,
): Promise<void> {
  await checkParent(transaction, call, parentId);
  if (parentId !== null && (await isInside(transaction, parentId, id))) throw new AppError('conflict');
}

async function checkParent(
  transaction: StoreTransaction,
  { caller }: AuditedCall,
  parentId: number | null,
): Promise<void> {
  if (parentId !== null) await lockDepartment(transaction, caller, parentId, 'for key share');
  else if (caller.dataScope !== '1') throw new AppError('exceeds_own_permissions');
}
