// Roles over HTTP. What takes something away waits for every instance.
import {
  AppError,
  type changeRoleEndpoint,
  type createRoleEndpoint,
  defaultPageLimit,
  type deleteRoleEndpoint,
  type getRoleEndpoint,
  type Handler,
  type listRolesEndpoint,
  type setRoleDataScopeEndpoint,
  type setRoleEnabledEndpoint,
} from '@portcullis/contract';
import type { RecordChange } from '../../audit/record-change.ts';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import { answerWrite } from '../../cluster/answer-write.ts';
import type { Store } from '../../store/store.ts';
import type { MayDoAll } from './may-give.ts';
import { createRoleChanges } from './role-changes.ts';
import { findRole, listRoles } from './role-store.ts';

export interface RoleRoutes {
  readonly list: Handler<typeof listRolesEndpoint>;
  readonly get: Handler<typeof getRoleEndpoint>;
  readonly create: Handler<typeof createRoleEndpoint>;
  readonly change: Handler<typeof changeRoleEndpoint>;
  readonly delete: Handler<typeof deleteRoleEndpoint>;
  readonly setEnabled: Handler<typeof setRoleEnabledEndpoint>;
  readonly setDataScope: Handler<typeof setRoleDataScopeEndpoint>;
}

interface RoleRoutesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly mayDoAll: MayDoAll;
}

export function createRoleRoutes({ store, access, recordChange, mayDoAll }: RoleRoutesOptions): RoleRoutes {
  const changes = createRoleChanges({ recordChange, mayDoAll });
  return {
    list: async ({ query: { after, limit = defaultPageLimit } }) => ({
      data: await listRoles(store, { after, limit }),
    }),
    get: async ({ params }) => {
      const role = await findRole(store, params.id);
      if (role === undefined) throw new AppError('record_not_found');
      return { data: role };
    },
    create: async (call) => {
      let id = 0;
      const revision = access.give(async (transaction) => {
        const created = await changes.create(transaction, call);
        id = created.id;
        return created.changes;
      });
      await answerWrite(call, revision);
      return { data: { id } };
    },
    change: (call) => answerWrite(call, access.takeAway(changes.change(call))),
    delete: (call) => answerWrite(call, access.takeAway(changes.delete(call))),
    setEnabled: (call) =>
      answerWrite(
        call,
        call.body.enabled ? access.give(changes.enable(call)) : access.takeAway(changes.disable(call)),
      ),
    setDataScope: (call) => answerWrite(call, access.takeAway(changes.setDataScope(call))),
  };
}
