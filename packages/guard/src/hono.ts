// The guard as Hono's middleware. On Node it decides by the message that Hono's request was made of, and elsewhere by the
// request's URL.
import type { IncomingMessage } from 'node:http';
import type { Caller } from '@portcullis/contract';
import type { MiddlewareHandler } from 'hono';
import { readFetchRequestOf } from './fetch-request.ts';
import type { Guard } from './index.ts';

declare module 'hono' {
  interface ContextVariableMap {
    /** Who calls, on every route behind `protect`. */
    caller: Caller;
  }
}

/**
 * Lets a request go on with `context.var.caller`, or answers it.
 *
 * @example app.use(protect(guard));
 */
export function protect(guard: Guard): MiddlewareHandler {
  return async (context, next) => {
    const { raw } = context.req;
    // As `@hono/node-server` gives it.
    const { incoming } = (context.env ?? {}) as { readonly incoming?: IncomingMessage };
    const decision = await guard.decide(incoming === undefined ? raw : readFetchRequestOf(raw, incoming));
    if (decision.allowed !== true)
      return new Response(decision.body, { status: decision.status, headers: decision.headers });
    context.set('caller', decision.caller);
    return await next();
  };
}
