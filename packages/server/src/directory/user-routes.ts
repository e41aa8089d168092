// What an administrator may change about a user's access. What takes something away waits for every instance.
import type {
  deleteUserEndpoint,
  Handler,
  setUserEnabledEndpoint,
  setUserPasswordEndpoint,
  setUserRoleEndpoint,
} from '@portcullis/contract';
import type { AccessWriter } from '../cluster/access-writer.ts';
import { answerWrite } from '../cluster/answer-write.ts';
import { deleteUser, disableUser, enableUser, setPasswordHash, setUserRole } from './user-access-store.ts';

export interface UserRoutes {
  readonly setEnabled: Handler<typeof setUserEnabledEndpoint>;
  readonly setPassword: Handler<typeof setUserPasswordEndpoint>;
  readonly setRole: Handler<typeof setUserRoleEndpoint>;
  readonly deleteUser: Handler<typeof deleteUserEndpoint>;
}

interface UserRoutesOptions {
  readonly access: AccessWriter;
  readonly hashPassword: (password: string) => Promise<string>;
}

export function createUserRoutes({ access, hashPassword }: UserRoutesOptions): UserRoutes {
  return {
    setEnabled: (call) => {
      const { id } = call.params;
      const revision = call.body.enabled
        ? access.give((transaction) => enableUser(transaction, id))
        : access.takeAway((transaction) => disableUser(transaction, id));
      return answerWrite(call, revision);
    },
    setPassword: async (call) => {
      const hash = await hashPassword(call.body.password);
      const revision = access.takeAway((transaction) => setPasswordHash(transaction, call.params.id, hash));
      return await answerWrite(call, revision);
    },
    setRole: (call) => {
      const { params, body } = call;
      const revision = access.takeAway((transaction) => setUserRole(transaction, params.id, body.roleId));
      return answerWrite(call, revision);
    },
    deleteUser: (call) => {
      const revision = access.takeAway((transaction) => deleteUser(transaction, call.params.id));
      return answerWrite(call, revision);
    },
  };
}
