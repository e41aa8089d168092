// The changes of departments, each in its transaction with its audit record. Who does not see all rows changes only
// what is inside the own data scope, and nothing leaves or enters it that way.
import { AppError } from '@portcullis/contract';
import type { AuditedCall, RecordChange } from '../../audit/record-change.ts';
import type { StoreTransaction } from '../../store/store.ts';
import {
  type DepartmentRecord,
  deleteDepartment,
  insertDepartment,
  isInside,
  lockDepartment,
  lockTree,
  updateDepartment,
} from './department-write-store.ts';

type Fields = Omit<DepartmentRecord, 'id'>;

export function createDepartmentChanges(recordChange: RecordChange) {
  return {
    async create(transaction: StoreTransaction, call: AuditedCall, fields: Fields): Promise<number> {
      // What is created below one of several single departments would be outside of the creator's own scope.
      if (!['1', '4'].includes(call.caller.dataScope)) throw new AppError('permission_denied');
      await checkParent(transaction, call, fields.parentId);
      const id = await insertDepartment(transaction, fields);
      const [target, after] = [`department ${id}`, { id, ...fields }];
      await recordChange(transaction, call, { action: 'department.create', target, before: null, after });
      return id;
    },

    async change(transaction: StoreTransaction, call: AuditedCall, after: DepartmentRecord): Promise<void> {
      await lockTree(transaction);
      const before = await lockDepartment(transaction, call.caller, after.id, 'for no key update');
      if (before.parentId !== after.parentId) await checkMove(transaction, call, after);
      else if (before.name === after.name) return;
      await updateDepartment(transaction, after);
      const target = `department ${after.id}`;
      await recordChange(transaction, call, { action: 'department.change', target, before, after });
    },

    async delete(transaction: StoreTransaction, call: AuditedCall, id: number): Promise<void> {
      const before = await lockDepartment(transaction, call.caller, id, 'for update');
      await deleteDepartment(transaction, id);
      const target = `department ${id}`;
      await recordChange(transaction, call, { action: 'department.delete', target, before, after: null });
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
  else if (caller.dataScope !== '1') throw new AppError('permission_denied');
}
