// HTTP routes of departments: list, read, create, change and delete.
import {
  AppError,
  changeDepartmentEndpoint,
  createDepartmentEndpoint,
  defaultPageLimit,
  deleteDepartmentEndpoint,
  getDepartmentEndpoint,
  listDepartmentsEndpoint,
  type Route,
  route,
} from '@portcullis/contract';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import type { Store } from '../../cluster/store/store.ts';
import { createDepartmentChanges, type DepartmentChangesOptions } from './department-changes.ts';
import { findDepartment, listDepartments } from './department-list-store.ts';

interface DepartmentRoutesOptions extends DepartmentChangesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
}

export function departmentRoutes({ store, access, ...options }: DepartmentRoutesOptions): Route[] {
  const changes = createDepartmentChanges(options);
  return [
    route(
      listDepartmentsEndpoint,
      async ({ caller, query: { after, limit = defaultPageLimit, parentId } }) => ({
        data: await listDepartments(store, caller, { after, limit, parentId }),
      }),
    ),
    route(getDepartmentEndpoint, async ({ caller, params }) => {
      const department = await findDepartment(store, caller, params.id);
      if (department === undefined) throw new AppError('record_not_found');
      return { data: department };
    }),
    route(createDepartmentEndpoint, async (call) => {
      let id = 0;
      await access.give(call, async (transaction) => {
        id = await changes.create(transaction, call, call.body);
        return [];
      });
      return { data: { id } };
    }),
    route(changeDepartmentEndpoint, async (call) => {
      await access.give(call, (transaction) => changes.change(transaction, call));
      return { data: null };
    }),
    route(deleteDepartmentEndpoint, async (call) => {
      await access.give(call, (transaction) => changes.delete(transaction, call, call.params.id));
      return { data: null };
    }),
  ];
}
