// Koa middleware of the guard. Use it before the body parser and again after it: a decision does not include a revocation
// that happens while the body arrives.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Guard } from './index.ts';

interface KoaContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly originalUrl: string;
  readonly state: Record<string, unknown>;
  respond?: boolean;
}

/**
 * Passes an allowed request on with `context.state.caller`, and answers a refused one.
 *
 * @example app.use(protect(guard)).use(bodyParser()).use(protect(guard));
 */
export function protect(guard: Guard) {
  return async (context: KoaContext, next: () => Promise<unknown>): Promise<void> => {
    const { req, res, originalUrl: target } = context;
    const { method = '', rawHeaders, headers } = req;
    const decision = await guard.decide({ method, target, rawHeaders, headers });
    if (decision.allowed === true) {
      context.state.caller = decision.caller;
      await next();
      return;
    }
    context.respond = false;
    res.writeHead(decision.status, { ...decision.headers }).end(decision.body);
  };
}
