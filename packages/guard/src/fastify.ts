// Fastify plugin of the guard. It decides before the body is read, and again after it, because access can change while the
// body arrives.
import type { Caller } from '@portcullis/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Guard } from './index.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, on every route of an instance with `protect`. */
    caller: Caller;
  }
}

/**
 * Protects every route of the instance and of the plugins registered in it. A handler can read `request.caller`.
 *
 * @example protect(app, guard);
 */
export function protect(app: object, guard: Guard): void {
  // The cast accepts instances with any type of server and logger.
  const instance = app as FastifyInstance;
  const decideAndAnswer = async (request: FastifyRequest, reply: FastifyReply) => {
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
  for (const name of ['onRequest', 'preHandler'] as const) instance.addHook(name, decideAndAnswer);
}
