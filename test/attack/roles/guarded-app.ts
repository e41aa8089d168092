// The product's guard around handlers that count: pipeline, mount and HTTP app are the real ones, the checks and
// what they ask are passed in.

import { setTimeout } from 'node:timers/promises';
import { type Access, accesses, dataReply, defineEndpoint, route } from '@portcullis/contract';
import type { CurrentAccess, Stages } from '@portcullis/gate';
import { Type } from 'typebox';
import { createHttpApp } from '../../../packages/server/src/http/create-http-app.ts';
import { mount } from '../../../packages/server/src/http/mount.ts';
import type { RequestContext } from '../../../packages/server/src/http/request-context.ts';

export interface Outcome {
  /** How often the handler was entered. */
  readonly entries: number;
  /** Undefined where no answer came in time. */
  readonly answer: { readonly status: number; readonly text: string } | undefined;
}

const reply = dataReply(Type.Null());
const paths = { public: '/api/v1/open', identity: '/api/v1/known', permission: '/api/v1/allowed' } as const;
/** Long enough for most answers that come at all: nothing here waits for anything outside the process. */
const patienceMilliseconds = 150;

/** One request on a fresh app; where an answer must come, it is waited for. */
export async function call(
  access: Access,
  pipeline: Record<Access, Stages<RequestContext>>,
  current: CurrentAccess,
  { mustAnswer = false } = {},
): Promise<Outcome> {
  let entries = 0;
  const app = createHttpApp({
    createRequestId: () => 'request-1',
    reportFault: () => {},
    isDraining: () => false,
  });
  const routes = accesses.map((of) =>
    route(defineEndpoint({ method: 'POST', path: paths[of], access: of, title: of, reply }), () => {
      entries += 1;
      return { data: null };
    }),
  );
  mount(app, routes, pipeline, current);
  const headers = { host: 'rig', authorization: 'Bearer a.b.c' };
  const answered = app.inject({ method: 'POST', url: paths[access], headers }).then(
    ({ statusCode, body }) => ({ status: statusCode, text: body }),
    // A request that is dropped without an answer is no entry either.
    () => undefined,
  );
  const answer = await (mustAnswer
    ? answered
    : Promise.race([answered, setTimeout(patienceMilliseconds, undefined)]));
  return { entries, answer };
}

/** Access changes once between the first checks and the handler, so that both stages run. */
export function changingAccess(): CurrentAccess {
  let reads = 0;
  return {
    revision: { n: 1, mark: '' },
    get generation() {
      reads += 1;
      return reads === 1 ? 1 : 2;
    },
    isLive: () => true,
  };
}
