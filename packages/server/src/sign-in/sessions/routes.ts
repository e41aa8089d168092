// The session endpoints: list the live sessions, and end one session, the sessions of a user, or all sessions.
import {
  AppError,
  defaultPageLimit,
  endAllSessionsEndpoint,
  endSessionEndpoint,
  endUserSessionsEndpoint,
  getSessionEndpoint,
  listSessionsEndpoint,
  type Route,
  route,
} from '@portcullis/contract';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import { answerWrite } from '../../cluster/answer-write.ts';
import type { Store } from '../../cluster/store/store.ts';
import { resolveUserScope } from '../../people/users/user-scope.ts';
import { createSessionChanges, type SessionChangesOptions } from './session-changes.ts';
import { findSession, listSessions } from './session-list-store.ts';

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
    route(getSessionEndpoint, async ({ caller, params }) => {
      const scope = await resolveUserScope(caller, options.listDepartments);
      const session = await findSession(store, scope, params.jti);
      if (session === undefined) throw new AppError('record_not_found');
      return { data: session };
    }),
    route(
      endSessionEndpoint,
      async (call) =>
        await answerWrite(call, access.takeAway(call, await changes.endOne(call, call.params.jti))),
    ),
    route(
      endUserSessionsEndpoint,
      async (call) =>
        await answerWrite(call, access.takeAway(call, await changes.endOfUser(call, call.params.id))),
    ),
    route(
      endAllSessionsEndpoint,
      async (call) => await answerWrite(call, access.takeAway(call, changes.endAll(call))),
    ),
  ];
}
