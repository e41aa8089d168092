// Wrapper of the guard for handlers of the Fetch API, such as route handlers of Next.js. A handler that reads the body must
// call `guard.decide` again after it: a decision does not include a revocation that happens while the body arrives.
import type { Caller } from '@portcullis/contract';
import type { Guard } from './index.ts';

type Handler<Given, Context> = (request: Given, context: Context) => Response | Promise<Response>;

/**
 * Calls the handler with `context.caller`, or answers a refused request. The guard can be a function, which is called with
 * each request, so that no guard connects while a framework builds.
 *
 * @example export const GET = protect(getGuard, (request, { caller }) => Response.json(listOrdersOf(caller)));
 */
export function protect<Context extends object = object, Given extends Request = Request>(
  guard: Guard | (() => Promise<Guard>),
  handler: Handler<Given, Context & { readonly caller: Caller }>,
): Handler<Given, Context> {
  return async (request, context) => {
    const decision = await (typeof guard === 'function' ? await guard() : guard).decide(request);
    if (decision.allowed !== true)
      return new Response(decision.body, { status: decision.status, headers: decision.headers });
    return await handler(request, { ...context, caller: decision.caller });
  };
}
