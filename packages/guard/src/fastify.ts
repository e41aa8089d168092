// The guard as Fastify's hooks: decided before the body is read, and again when it has come, because access may have
// changed meanwhile.
import type { Caller } from '@portcullis/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Guard } from './index.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, on every route behind `protect`. */
    caller: Caller;
  }
}

/**
 * Every route of the instance, and of those registered in it, then has `request.caller` or is refused.
 *
 * @example protect(app, guard);
 */
export function protect(app: object, guard: Guard): void {
  // Whatever its server and its logger are.
  const instance = app as FastifyInstance;
  const webhook = async (request: FastifyRequest, reply: FastifyReply) => {
    const { method = '', url: target = '', rawHeaders, headers } = request.raw;
    const decision = await guard.decide({ method, target, rawHeaders, headers });
    if (decision.allowed !== true)
      return reply
        .code(decision.status)
        .headers({ ...decision.headers })
        .send(decision.body);
    request.caller = decision.caller;
    return undefined;
  };
  instance.decorateRequest('caller', null as unknown as Caller);
  for (const name of ['onRequest', 'preHandler'] as const) instance.addHook(name, webhook);
}
