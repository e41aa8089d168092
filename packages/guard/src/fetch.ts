// The guard around a handler of the Fetch API, such as a route handler of Next.js. A handler that reads a body decides
// again behind it: a decision is about what came before.
import type { Caller } from '@portcullis/contract';
import type { Guard } from './index.ts';

type Handler<Given, Context> = (request: Given, context: Context) => Response | Promise<Response>;

/**
 * Calls the handler with `context.caller`, or answers the request. The guard may be one that is still to come: asked for
 * with each request, so that nothing is joined while a framework builds.
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
