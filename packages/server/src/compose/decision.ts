// Part of the composition root: the decision listener, which runs the checks of the service for requests to gateways and guarded
// services.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  type AccessSource,
  type Checks,
  type CurrentAccess,
  canonicalCheck,
  createDecisionPipeline,
  guardPath,
  type Relay,
} from '@portcullis/gate';
import type { Logger } from 'pino';
import type { Config } from '../base/settings/config.ts';
import type { Store } from '../cluster/store/store.ts';
import { createRequestIds } from '../http/request-id.ts';
import { listDepartmentsInScope } from '../people/departments/data-scope-store.ts';
import { isRoleEnabled } from '../people/roles/role-store.ts';
import { findUserRole } from '../people/users/user-store.ts';
import { bearerOf } from '../permissions/decision-api/access-api.ts';
import { createDecide, type Decide } from '../permissions/decision-api/decide.ts';
import { createGuardApi } from '../permissions/decision-api/guard/guard-api.ts';
import { createGuardConnections } from '../permissions/decision-api/guard/guard-connections.ts';
import { createDecisionListener } from '../permissions/decision-api/listener.ts';
import { createMisconfigurationWarnings } from '../permissions/decision-api/misconfiguration-warnings.ts';
import { createServiceSecret } from '../permissions/decision-api/service-secret.ts';

interface DecisionParts {
  readonly config: Config;
  readonly store: Store;
  readonly logger: Logger;
  readonly checks: Checks;
  readonly current: CurrentAccess;
  readonly relay: Relay;
  /** Reads this instance's memory. */
  readonly readAll: AccessSource['readAll'];
  /** Called with every decision, with the error that refused the request. */
  readonly onDecided: (error?: Error) => void;
  readonly onMisuse: () => void;
  readonly isDraining: () => boolean;
  readonly now: () => number;
}

export interface DecisionService {
  /** Resolves with the port. */
  listen(backlog: number): Promise<number>;
  /** Ends the connections that do not end otherwise, and resolves when the last answer is sent. */
  close(): Promise<void>;
}

const closeIdleMilliseconds = 50;

/** Undefined without a secret: then no client is allowed to ask. */
export function composeDecision(parts: DecisionParts): DecisionService | undefined {
  const { config, store, logger, checks, current } = parts;
  if (config.decision.secrets.length === 0) return undefined;
  const reportFault = (err: unknown, requestId: string) =>
    logger.error({ err, requestId }, 'a decision failed');
  const serveGuards = createGuardApi({
    readAll: parts.readAll,
    newest: () => current.revision.n,
    reportFault,
  });
  const reportMisuse = createMisconfigurationWarnings((text) => logger.warn(text), parts.now);
  const tellMisuse = (text: string) => {
    parts.onMisuse();
    reportMisuse(text);
  };
  const pipeline = createDecisionPipeline({ ...checks, canonical: canonicalCheck });
  const isSecret = createServiceSecret(config.decision.secrets);
  const lines = createGuardConnections({
    relay: parts.relay,
    isSecret,
    readBearer: bearerOf,
    reportMisuse: tellMisuse,
  });
  const server = createDecisionListener({
    below: [[guardPath, serveGuards]],
    upgrade: lines.upgrade,
    isSecret,
    decide: tell(createDecide(pipeline.asked, current), parts.onDecided),
    decideNamed: tell(createDecide(pipeline.named, current), parts.onDecided),
    current,
    findUserRole: (userId) => findUserRole(store, userId),
    isRoleEnabled: (roleKey) => isRoleEnabled(store, roleKey),
    listDepartments: (scoped) => listDepartmentsInScope(store, scoped),
    createRequestId: createRequestIds(randomBytes),
    reportFault,
    reportMisuse: tellMisuse,
    isDraining: parts.isDraining,
    permissionDeniedCode: config.permissionDeniedCode,
  });
  return {
    async listen(backlog) {
      server.listen({ ...config.decision, backlog });
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    },
    async close() {
      await lines.close();
      const closer = setInterval(() => server.closeIdleConnections(), closeIdleMilliseconds);
      if (server.listening) await new Promise((resolve) => void server.close(resolve));
      clearInterval(closer);
    },
  };
}

function tell(decide: Decide, onDecided: (error?: Error) => void): Decide {
  return (target, done) =>
    decide(target, (error) => {
      onDecided(error);
      done(error);
    });
}
