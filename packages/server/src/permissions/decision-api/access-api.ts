// HTTP routes of the decision API (AuthZEN) for services: decisions and data scopes. A caller without the secret learns
// nothing, not even which routes exist.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CurrentAccess } from '@portcullis/gate';
import { createEvaluate, type EvaluateOptions } from './evaluate.ts';
import { evaluateAll } from './evaluations.ts';
import { describeDecisionPoint } from './metadata.ts';
import { parseEvaluation } from './parse-evaluation.ts';
import { readJson } from './read-json.ts';
import { isFault } from './refusal.ts';
import { createResolveScope, parseUserId, type ScopeOptions } from './resolve-scope.ts';
import { ServiceError } from './service-error.ts';
import type { IsServiceSecret } from './service-secret.ts';
import { writeJson } from './write-json.ts';

/** Serves all requests below a path, after the check of the secret. */
export type ServeBelow = (request: IncomingMessage, response: ServerResponse, requestId: string) => void;

export interface AccessApiOptions extends EvaluateOptions, ScopeOptions {
  readonly isSecret: IsServiceSecret;
  readonly current: CurrentAccess;
  readonly createRequestId: () => string;
  readonly reportFault: (fault: unknown, requestId: string) => void;
  readonly reportMisuse: (text: string) => void;
  /** Handlers for all requests below a path, as [path, handler]. */
  readonly below?: readonly (readonly [string, ServeBelow])[];
}

type Route = (request: IncomingMessage, query: string) => Promise<object>;

const evaluationBytes = 64 * 1024;
const evaluationsBytes = 1024 * 1024;

export function createAccessApi(options: AccessApiOptions) {
  const { isSecret, current, createRequestId, reportFault, reportMisuse, below = [] } = options;
  const resolveScope = createResolveScope(options);
  const newEvaluate = () => createEvaluate(options);

  const routes: Readonly<Record<string, Readonly<Record<string, Route>>>> = {
    '/access/v1/evaluation': {
      POST: async (request) => {
        const evaluation = parseEvaluation(await readJson(request, evaluationBytes));
        return await inOneState(current, () => newEvaluate()(evaluation));
      },
    },
    '/access/v1/evaluations': {
      POST: async (request) => {
        const body = await readJson(request, evaluationsBytes);
        return await inOneState(current, () => evaluateAll(body, newEvaluate()));
      },
    },
    '/access/v1/scope': {
      GET: async (_request, query) => {
        const userId = parseUserId(new URLSearchParams(query).getAll('userId'));
        return await inOneState(current, () => resolveScope(userId));
      },
    },
    '/.well-known/authzen-configuration': { GET: async (request) => describeDecisionPoint(request.headers) },
  };

  async function answer(request: IncomingMessage, response: ServerResponse, requestId: string) {
    const [path = '', ...query] = (request.url ?? '').split('?');
    const methods = Object.hasOwn(routes, path) ? routes[path] : undefined;
    if (methods === undefined) throw new ServiceError(404, 'There is no such address.');
    const route = Object.hasOwn(methods, request.method ?? '') ? methods[request.method ?? ''] : undefined;
    if (route === undefined)
      throw new ServiceError(405, 'This address does not take this method.', [
        'Allow',
        Object.keys(methods).join(', '),
      ]);
    writeJson(response, 200, await route(request, query.join('?')), ['X-Request-ID', requestId]);
  }

  return function accessApi(request: IncomingMessage, response: ServerResponse): void {
    const ownId = createRequestId();
    try {
      const requestId = requestIdOf(request) ?? ownId;
      if (!isSecret(bearerOf(request.rawHeaders))) {
        reportMisuse('A service sends no secret as Authorization: Bearer, a wrong one, or two.');
        throw new ServiceError(401, 'Send the secret of this listener as Authorization: Bearer.', [
          'WWW-Authenticate',
          'Bearer realm="portcullis"',
        ]);
      }
      const part = below.find(([path]) => request.url?.startsWith(path));
      if (part === undefined)
        answer(request, response, requestId).catch((error: unknown) => fail(error, response, requestId));
      else part[1](request, response, requestId);
    } catch (error) {
      fail(error, response, ownId);
    }
  };

  function fail(error: unknown, response: ServerResponse, requestId: string): void {
    const known = error instanceof ServiceError ? error : unavailable(error, requestId);
    writeJson(response, known.status, { error: known.message }, [
      'X-Request-ID',
      requestId,
      ...known.headers,
    ]);
  }

  /** Fails closed: after an unexpected error, the answer is "no decision is possible", never a decision. */
  function unavailable(error: unknown, requestId: string): ServiceError {
    if (!(error instanceof Error) || isFault(error)) reportFault(error, requestId);
    return new ServiceError(503, 'No decision is possible now. Try again shortly.');
  }
}

/** The maximum number of attempts, if access changes during each of them. */
const mostTries = 8;

/** Repeats the question until access does not change during it: the answer must be true at the moment it is sent. */
async function inOneState<T>(current: CurrentAccess, ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const { generation } = current;
    const found = await ask();
    if (current.isLive() !== true) break;
    if (current.generation === generation) return found;
  }
  throw new ServiceError(503, 'No decision is possible now. Try again shortly.');
}

/** AuthZEN, Request Identification: the answer returns the caller's request id. */
function requestIdOf({ headers }: IncomingMessage): string | undefined {
  const given = headers['x-request-id'];
  if (given === undefined || given === '') return undefined;
  if (!/^[ -~]{1,256}$/.test(String(given)))
    throw new ServiceError(400, 'X-Request-ID is too long or not ASCII.');
  return String(given);
}

/** Empty if there is no Authorization header or more than one. */
export function bearerOf(rawHeaders: readonly string[]): string {
  const found = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  );
  const [value = ''] = found;
  return found.length === 1 && /^bearer /i.test(value) ? value.slice('Bearer '.length) : '';
}
