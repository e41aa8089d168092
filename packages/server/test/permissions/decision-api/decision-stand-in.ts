// The real listener with the real checks, but with a memory of access that the test holds: one token that stands, and
// what may be done with it.

import { AppError, type Caller } from '@portcullis/contract';
import {
  canonicalCheck,
  createCsrfCheck,
  createDecisionPipeline,
  createIdentityCheck,
  createLeaseCheck,
  createPasswordDueCheck,
  type Permissible,
  type VerifyToken,
} from '@portcullis/gate';
import { createDecide } from '../../../src/permissions/decision-api/decide.ts';
import {
  createDecisionListener,
  type DecisionListenerOptions,
} from '../../../src/permissions/decision-api/listener.ts';
import { createServiceSecret } from '../../../src/permissions/decision-api/service-secret.ts';

export const secret = 'a secret of the listener: 0123456789';
export const previousSecret = 'the previous one: 9876543210 abcdef';
export const token = 'a.b.c';
export const caller: Caller = {
  userId: 7,
  username: 'mei 梅',
  roleId: 2,
  roleKey: 'editor',
  dataScope: '3',
  jti: 'j',
  expiresAt: 3600,
};
const claims = {
  identity: 7,
  roleid: 2,
  rolekey: 'editor',
  nice: caller.username,
  datascope: '3',
  sub: '7',
  iss: 'portcullis',
  iat: 0,
  exp: 3600,
  jti: 'j',
  ep: 0,
} as const;

export interface StandIn {
  isLive: boolean;
  generation: number;
  isRevoked: boolean;
  verify: VerifyToken;
  /** What the permission check does. */
  permit: (request: Permissible) => void | Promise<void>;
  readonly faults: unknown[];
  readonly misuses: string[];
}

/** Allows GET below /api/v1/orders. */
export function createDecisionStandIn(
  options: Partial<DecisionListenerOptions> = {},
  origins: readonly string[] = [],
) {
  const state: StandIn = {
    isLive: true,
    generation: 1,
    isRevoked: false,
    async verify(text) {
      if (text !== token) throw new AppError('token_malformed');
      return { kid: 'k', claims };
    },
    permit({ method, path }) {
      if (method !== 'GET' || !path.startsWith('/api/v1/orders')) throw new AppError('permission_denied');
    },
    faults: [],
    misuses: [],
  };
  const isLive = () => state.isLive;
  const current = {
    revision: { n: 1, mark: '' },
    isLive,
    get generation() {
      return state.generation;
    },
  };
  const pipeline = createDecisionPipeline({
    leased: createLeaseCheck({ isLive }),
    canonical: canonicalCheck,
    identify: createIdentityCheck({
      verify: (text) => state.verify(text),
      keys: { find: () => ({}) as never },
      revocations: { isRevoked: () => state.isRevoked },
      findRole: () => caller,
      changes: current,
      now: () => 0,
    }),
    site: createCsrfCheck(origins),
    passwordDue: createPasswordDueCheck([]),
    permit: (request) => state.permit(request),
  });
  let count = 0;
  const listener = createDecisionListener({
    isSecret: createServiceSecret([secret, previousSecret]),
    decide: createDecide(pipeline.asked, current),
    decideNamed: createDecide(pipeline.named, current),
    current,
    findUserRole: async () => undefined,
    isRoleEnabled: async () => false,
    listDepartments: async () => undefined,
    createRequestId: () => `request-${++count}`,
    reportFault: (fault) => void state.faults.push(fault),
    reportMisuse: (text) => void state.misuses.push(text),
    isDraining: () => false,
    upgrade: (_request, socket) => void socket.destroy(),
    ...options,
  });
  return { listener, state };
}
