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
import type { Store } from '../../store/store.ts';
import { retireAllKeys } from '../keys/change-keys.ts';
import { listSessions } from './session-list-store.ts';
import { endSession, endUserSessions } from './session-store.ts';

export interface SessionRoutes {
  readonly listSessions: Handler<typeof listSessionsEndpoint>;
  readonly endSession: Handler<typeof endSessionEndpoint>;
  readonly endUserSessions: Handler<typeof endUserSessionsEndpoint>;
  readonly endAllSessions: Handler<typeof endAllSessionsEndpoint>;
}

interface SessionRoutesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly sealingKey: Buffer;
  readonly dev: boolean;
}

export function createSessionRoutes(options: SessionRoutesOptions): SessionRoutes {
  const { store, access } = options;
  return {
    listSessions: async ({ query: { after, limit = defaultPageLimit, userId } }) => ({
      data: await listSessions(store, { after, limit, userId }),
    }),
    endSession: (call) => {
      const revision = access.takeAway((transaction) => endSession(transaction, call.params.jti));
      return answerWrite(call, revision);
    },
    endUserSessions: (call) => {
      const revision = access.takeAway((transaction) => endUserSessions(transaction, call.params.id));
      return answerWrite(call, revision);
    },
    // One change for all, however many there are: every token dies with the key that signed it.
    endAllSessions: (call) => {
      const revision = access.takeAway((transaction) => retireAllKeys(transaction, options));
      return answerWrite(call, revision);
    },
  };
}
