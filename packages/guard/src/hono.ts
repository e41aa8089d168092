// Hono middleware of the guard. On Node, it decides by the message of Node that Hono's request was created from. On other
// runtimes, it decides by the request's URL.
import type { IncomingMessage } from 'node:http';
import type { Caller } from '@portcullis/contract';
import type { MiddlewareHandler } from 'hono';
import { readFetchRequestOf } from './fetch-request.ts';
import type { Guard } from './index.ts';

declare module 'hono' {
  interface ContextVariableMap {
    /** The caller, on every route after `protect`. */
    caller: Caller;
  }
}

/**
 * Passes an allowed request on with `context.var.caller`, and answers a refused one.
 *
 * @example app.use(protect(guard));
 */
export function protect(guard: Guard): MiddlewareHandler {
  return async (context, next) => {
    const { raw } = context.req;
    // `@hono/node-server` sets it.
    const { incoming } = (context.env ?? {}) as { readonly incoming?: IncomingMessage };
    const decision = await guard.decide(incoming === undefined ? raw : readFetchRequestOf(raw, incoming));
    if (decision.allowed !== true)
      return new Response(decision.body, { status: decision.status, headers: decision.headers });
    context.set('caller', decision.caller);
    return await next();
  };
}
