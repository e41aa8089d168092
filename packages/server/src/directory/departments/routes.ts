// Departments over HTTP.
import {
  type changeDepartmentEndpoint,
  type createDepartmentEndpoint,
  defaultPageLimit,
  type deleteDepartmentEndpoint,
  type Handler,
  type listDepartmentsEndpoint,
} from '@portcullis/contract';
import type { RecordChange } from '../../audit/record-change.ts';
import type { Store, StoreTransaction } from '../../store/store.ts';
import { createDepartmentChanges } from './department-changes.ts';
import { listDepartments } from './department-list-store.ts';

export interface DepartmentRoutes {
  readonly list: Handler<typeof listDepartmentsEndpoint>;
  readonly create: Handler<typeof createDepartmentEndpoint>;
  readonly change: Handler<typeof changeDepartmentEndpoint>;
  readonly delete: Handler<typeof deleteDepartmentEndpoint>;
}

interface DepartmentRoutesOptions {
  readonly store: Store;
  readonly recordChange: RecordChange;
}

export function createDepartmentRoutes({ store, recordChange }: DepartmentRoutesOptions): DepartmentRoutes {
  const changes = createDepartmentChanges(recordChange);
  const write = <Result>(change: (transaction: StoreTransaction) => Promise<Result>) =>
    store.transaction().execute(change);
  return {
    list: async ({ caller, query: { after, limit = defaultPageLimit, parentId } }) => ({
      data: await listDepartments(store, caller, { after, limit, parentId }),
    }),
    create: async (call) => ({
      data: { id: await write((transaction) => changes.create(transaction, call, call.body)) },
    }),
    change: async (call) => {
      const after = { id: call.params.id, ...call.body };
      await write((transaction) => changes.change(transaction, call, after));
      return { data: null };
    },
    delete: async (call) => {
      await write((transaction) => changes.delete(transaction, call, call.params.id));
      return { data: null };
    },
  };
}
