// The live sessions: seeing them, and ending one, a user's or all.
import {
  defaultPageLimit,
  type endAllSessionsEndpoint,
  type endSessionEndpoint,
  type endUserSessionsEndpoint,
  type Handler,
  type listSessionsEndpoint,
} from '@portcullis/contract';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import { answerWrite } from '../../cluster/answer-write.ts';
import { resolveUserScope } from '../../directory/users/user-scope.ts';
import type { Store } from '../../store/store.ts';
import { createSessionChanges, type SessionChangesOptions } from './session-changes.ts';
import { listSessions } from './session-list-store.ts';

export interface SessionRoutes {
  readonly listSessions: Handler<typeof listSessionsEndpoint>;
  readonly endSession: Handler<typeof endSessionEndpoint>;
  readonly endUserSessions: Handler<typeof endUserSessionsEndpoint>;
  readonly endAllSessions: Handler<typeof endAllSessionsEndpoint>;
}

interface SessionRoutesOptions extends SessionChangesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
}

export function createSessionRoutes({ store, access, ...options }: SessionRoutesOptions): SessionRoutes {
  const changes = createSessionChanges(options);
  return {
    listSessions: async ({ caller, query: { after, limit = defaultPageLimit, userId } }) => {
      const scope = await resolveUserScope(caller, options.listDepartments);
      return { data: await listSessions(store, scope, { after, limit, userId }) };
    },
    endSession: async (call) =>
      await answerWrite(call, access.takeAway(await changes.endOne(call, call.params.jti))),
    endUserSessions: async (call) =>
      await answerWrite(call, access.takeAway(await changes.endOfUser(call, call.params.id))),
    endAllSessions: async (call) => await answerWrite(call, access.takeAway(changes.endAll(call))),
  };
}
