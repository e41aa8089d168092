// What an administrator may change about a role itself. What takes something away waits for every instance.
import {
  AppError,
  type Handler,
  type setRoleDataScopeEndpoint,
  type setRoleEnabledEndpoint,
} from '@portcullis/contract';
import type { AccessWriter } from '../cluster/access-writer.ts';
import { answerWrite } from '../cluster/answer-write.ts';
import { disableRole, enableRole, setDataScope } from './role-access-store.ts';

export interface RoleRoutes {
  readonly setEnabled: Handler<typeof setRoleEnabledEndpoint>;
  readonly setDataScope: Handler<typeof setRoleDataScopeEndpoint>;
}

export function createRoleRoutes({ access }: { readonly access: AccessWriter }): RoleRoutes {
  return {
    setEnabled: (call) => {
      const { id } = call.params;
      const revision = call.body.enabled
        ? access.give((transaction) => enableRole(transaction, id))
        : access.takeAway((transaction) => disableRole(transaction, id));
      return answerWrite(call, revision);
    },
    setDataScope: (call) => {
      const { dataScope } = call.body;
      const departmentIds = dataScope === '2' ? call.body.departmentIds : [];
      if (departmentIds === undefined) throw new AppError('params_invalid');
      const scope = { dataScope, departmentIds };
      const revision = access.takeAway((transaction) => setDataScope(transaction, call.params.id, scope));
      return answerWrite(call, revision);
    },
  };
}
