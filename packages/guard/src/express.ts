// The guard as Express's middleware. Use it twice: before the body parser, so that no body is read from a caller who is refused,
// and after it, so that a revocation during the upload takes effect.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '@portcullis/contract';
import type { Decision, Guard } from './index.ts';

type Next = (error?: unknown) => void;
type Received = IncomingMessage & { readonly originalUrl?: string; caller?: Caller };

/**
 * Lets a request go on to handlers that ask for `callerOf(request)`, or answers it.
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

/** Who calls. Throws where no guard stands before the route. */
export function callerOf({ caller }: Received): Caller {
  if (caller === undefined) throw new Error('No guard stands before this route.');
  return caller;
}

function conclude(decision: Decision, request: Received, response: ServerResponse, next: Next): void {
  if (decision.allowed === true) {
    request.caller = decision.caller;
    next();
  } else response.writeHead(decision.status, { ...decision.headers }).end(decision.body);
}
