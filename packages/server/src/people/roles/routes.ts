// HTTP routes of roles: list, read, create, change, enable, disable and delete. A call that takes access away is answered when
// every instance enforces the change.
import {
  AppError,
  changeRoleEndpoint,
  createRoleEndpoint,
  defaultPageLimit,
  deleteRoleEndpoint,
  getRoleEndpoint,
  listRolesEndpoint,
  type Route,
  route,
  setRoleDataScopeEndpoint,
  setRoleEnabledEndpoint,
} from '@portcullis/contract';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import { answerWrite } from '../../cluster/answer-write.ts';
import type { Store } from '../../cluster/store/store.ts';
import type { RecordChange } from '../../logs/audit/record-change.ts';
import type { CanManageCheck } from './can-manage/can-manage-check.ts';
import { createRoleChanges } from './role-changes.ts';
import { findRole, listRoles } from './role-store.ts';

interface RoleRoutesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly canManage: Pick<CanManageCheck, 'ofRole' | 'ofNewRole'>;
}

export function roleRoutes({ store, access, ...options }: RoleRoutesOptions): Route[] {
  const changes = createRoleChanges(options);
  return [
    route(listRolesEndpoint, async ({ query: { after, limit = defaultPageLimit } }) => ({
      data: await listRoles(store, { after, limit }),
    })),
    route(getRoleEndpoint, async ({ params }) => {
      const role = await findRole(store, params.id);
      if (role === undefined) throw new AppError('record_not_found');
      return { data: role };
    }),
    route(createRoleEndpoint, async (call) => {
      let id = 0;
      const revision = access.give(call, async (transaction) => {
        const created = await changes.create(transaction, call);
        id = created.id;
        return created.changes;
      });
      await answerWrite(call, revision);
      return { data: { id } };
    }),
    route(changeRoleEndpoint, (call) => answerWrite(call, access.takeAway(call, changes.change(call)))),
    route(deleteRoleEndpoint, (call) => answerWrite(call, access.takeAway(call, changes.delete(call)))),
    route(setRoleEnabledEndpoint, (call) =>
      answerWrite(
        call,
        call.body.enabled
          ? access.give(call, changes.enable(call))
          : access.takeAway(call, changes.disable(call)),
      ),
    ),
    route(setRoleDataScopeEndpoint, (call) =>
      answerWrite(call, access.takeAway(call, changes.setDataScope(call))),
    ),
  ];
}
