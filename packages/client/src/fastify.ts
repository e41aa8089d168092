// The guard as Fastify's hooks: decided before the body is read, and again when it has come, because access may have
// changed meanwhile.
import type { IncomingMessage } from 'node:http';
import type { Caller } from '@portcullis/contract';
import type { Guard } from './guard/index.ts';

interface Request {
  readonly raw: IncomingMessage;
  caller?: Caller | null;
}
interface Reply {
  code(status: number): Reply;
  headers(headers: Readonly<Record<string, string>>): Reply;
  send(body: string): unknown;
}
type Hook = (request: Request, reply: Reply) => Promise<unknown>;
interface Instance {
  decorateRequest(name: string, value: null): unknown;
  addHook(name: 'onRequest' | 'preHandler', hook: Hook): unknown;
}

/**
 * Every route of the instance, and of those registered in it, then has `request.caller` or is refused.
 *
 * @example protect(app, guard);
 */
export function protect(app: object, guard: Guard): void {
  const instance = app as Instance;
  const hook: Hook = async (request, reply) => {
    const { method = '', url: target = '', rawHeaders, headers } = request.raw;
    const decision = await guard.decide({ method, target, rawHeaders, headers });
    if (decision.allowed !== true)
      return reply.code(decision.status).headers(decision.headers).send(decision.body);
    request.caller = decision.caller;
    return undefined;
  };
  instance.decorateRequest('caller', null);
  for (const name of ['onRequest', 'preHandler'] as const) instance.addHook(name, hook);
}
