// Express middleware of the guard. Use it before the body parser and again after it: a decision does not include a
// revocation that happens while the body arrives.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '@portcullis/contract';
import type { Decision, Guard } from './index.ts';

type Next = (error?: unknown) => void;
type Received = IncomingMessage & { readonly originalUrl?: string; caller?: Caller };

/**
 * Passes an allowed request to the handlers, which can read `callerOf(request)`, and answers a refused one.
 *
 * @example app.use('/api/v1', protect(guard), express.json(), protect(guard));
 */
export function protect(guard: Guard) {
  return (request: Received, response: ServerResponse, next: Next): void => {
    const { method = '', originalUrl: target = '', rawHeaders, headers } = request;
    const decision = guard.decide({ method, target, rawHeaders, headers });
    if (decision instanceof Promise)
      decision.then((decided) => conclude(decided, request, response, next)).catch(next);
    else conclude(decision, request, response, next);
  };
}

/** The caller of the request. Throws if no guard runs before the route. */
export function callerOf({ caller }: Received): Caller {
  if (caller === undefined)
    throw new Error('No guard protects this route. Call `protect` before its handler.');
  return caller;
}

function conclude(decision: Decision, request: Received, response: ServerResponse, next: Next): void {
  if (decision.allowed === true) {
    request.caller = decision.caller;
    next();
  } else response.writeHead(decision.status, { ...decision.headers }).end(decision.body);
}
