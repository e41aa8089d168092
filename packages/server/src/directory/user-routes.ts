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
import {
  deleteUser,
  disableUser,
  enableUser,
  getUsername,
  setPasswordHash,
  setUserRole,
} from './user-access-store.ts';

export interface UserRoutes {
  readonly setEnabled: Handler<typeof setUserEnabledEndpoint>;
  readonly setPassword: Handler<typeof setUserPasswordEndpoint>;
  readonly setRole: Handler<typeof setUserRoleEndpoint>;
  readonly deleteUser: Handler<typeof deleteUserEndpoint>;
}

interface UserRoutesOptions {
  readonly access: AccessWriter;
  readonly hashPassword: (password: string) => Promise<string>;
  /** Lets the user log in from anywhere again, where too many guesses had closed the account. */
  readonly forgiveGuesses: (username: string) => Promise<void>;
}

export function createUserRoutes({ access, hashPassword, forgiveGuesses }: UserRoutesOptions): UserRoutes {
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
      let username = '';
      const revision = access.takeAway(async (transaction) => {
        username = await getUsername(transaction, call.params.id);
        return await setPasswordHash(transaction, call.params.id, hash);
      });
      const answer = await answerWrite(call, revision);
      await forgiveGuesses(username);
      return answer;
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
