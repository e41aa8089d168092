// Departments over HTTP.
import {
  changeDepartmentEndpoint,
  createDepartmentEndpoint,
  defaultPageLimit,
  deleteDepartmentEndpoint,
  listDepartmentsEndpoint,
  type Route,
  route,
} from '@portcullis/contract';
import type { RecordChange } from '../../audit/record-change.ts';
import type { Store, StoreTransaction } from '../../store/store.ts';
import { createDepartmentChanges } from './department-changes.ts';
import { listDepartments } from './department-list-store.ts';

interface DepartmentRoutesOptions {
  readonly store: Store;
  readonly recordChange: RecordChange;
}

export function departmentRoutes({ store, recordChange }: DepartmentRoutesOptions): Route[] {
  const changes = createDepartmentChanges(recordChange);
  const write = <Result>(change: (transaction: StoreTransaction) => Promise<Result>) =>
    store.transaction().execute(change);
  return [
    route(
      listDepartmentsEndpoint,
      async ({ caller, query: { after, limit = defaultPageLimit, parentId } }) => ({
        data: await listDepartments(store, caller, { after, limit, parentId }),
      }),
    ),
    route(createDepartmentEndpoint, async (call) => ({
      data: { id: await write((transaction) => changes.create(transaction, call, call.body)) },
    })),
    route(changeDepartmentEndpoint, async (call) => {
      const after = { id: call.params.id, ...call.body };
      await write((transaction) => changes.change(transaction, call, after));
      return { data: null };
    }),
    route(deleteDepartmentEndpoint, async (call) => {
      await write((transaction) => changes.delete(transaction, call, call.params.id));
      return { data: null };
    }),
  ];
}
