// The live sessions: seeing them, and ending one, a user's or all.
import {
  defaultPageLimit,
  endAllSessionsEndpoint,
  endSessionEndpoint,
  endUserSessionsEndpoint,
  listSessionsEndpoint,
  type Route,
  route,
} from '@portcullis/contract';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import { answerWrite } from '../../cluster/answer-write.ts';
import { resolveUserScope } from '../../directory/users/user-scope.ts';
import type { Store } from '../../store/store.ts';
import { createSessionChanges, type SessionChangesOptions } from './session-changes.ts';
import { listSessions } from './session-list-store.ts';

interface SessionRoutesOptions extends SessionChangesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
}

export function sessionRoutes({ store, access, ...options }: SessionRoutesOptions): Route[] {
  const changes = createSessionChanges(options);
  return [
    route(listSessionsEndpoint, async ({ caller, query: { after, limit = defaultPageLimit, userId } }) => {
      const scope = await resolveUserScope(caller, options.listDepartments);
      return { data: await listSessions(store, scope, { after, limit, userId }) };
    }),
    route(
      endSessionEndpoint,
      async (call) => await answerWrite(call, access.takeAway(await changes.endOne(call, call.params.jti))),
    ),
    route(
      endUserSessionsEndpoint,
      async (call) => await answerWrite(call, access.takeAway(await changes.endOfUser(call, call.params.id))),
    ),
    route(
      endAllSessionsEndpoint,
      async (call) => await answerWrite(call, access.takeAway(changes.endAll(call))),
    ),
  ];
}
