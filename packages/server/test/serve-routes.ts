// Routes behind the real HTTP parts and without checks, so that a test sends what a client would.
import type { Caller, Route } from '@portcullis/contract';
import { createPipeline } from '@portcullis/gate';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { createHttpApp } from '../src/http/create-http-app.ts';
import { mount } from '../src/http/mount.ts';
import type { RequestContext } from '../src/http/request-context.ts';

interface Answer {
  readonly status: number;
  readonly code: number;
  readonly data: unknown;
  readonly body: Record<string, unknown>;
  /** The header X-Auth-Reason. */
  readonly reason: unknown;
  /** The header X-Policy-Revision, as a number. */
  readonly revision: number | undefined;
}

export interface ServedRoutes {
  readonly faults: readonly unknown[];
  send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object): Promise<Answer>;
  close(): Promise<void>;
}

export const administrator: Caller = {
  userId: 1,
  username: 'root',
  roleId: 1,
  roleKey: 'admin',
  dataScope: '1',
  jti: 'A'.repeat(22),
  expiresAt: 4_102_444_800,
};

/** Every request counts as the caller's. */
export function serveRoutes(
  routes: readonly Route[],
  caller: () => Caller = () => administrator,
): ServedRoutes {
  const faults: unknown[] = [];
  const pass = () => {};
  const identify = (context: RequestContext) => {
    context.caller = caller();
  };
  const app: FastifyInstance = createHttpApp({
    createRequestId: () => 'request-1',
    reportFault: (cause) => void faults.push(cause),
    isDraining: () => false,
  });
  mount(
    app,
    routes,
    createPipeline({
      limit: pass,
      leased: pass,
      identify,
      limitCaller: pass,
      site: pass,
      passwordDue: pass,
      permit: pass,
    }),
    {
      revision: { n: 1, mark: '' },
      generation: 1,
      isLive: () => true,
    },
  );
  return {
    faults,
    async send(method, url, payload) {
      const request: InjectOptions = { method, url: `/api/v1${url}`, ...(payload && { payload }) };
      const response = await app.inject(request);
      const body = response.json();
      const header = response.headers['x-policy-revision'];
      const revision = header === undefined ? undefined : Number(header);
      const reason = response.headers['x-auth-reason'];
      return { status: response.statusCode, code: body.code, data: body.data, body, reason, revision };
    },
    close: () => app.close(),
  };
}
