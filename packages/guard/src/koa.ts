// The guard as Koa's middleware. Use it twice: before the body parser, so that no body is read from a caller who is refused,
// and after it, so that a revocation during the upload takes effect.
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
 * Lets a request go on with `context.state.caller`, or answers it.
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
