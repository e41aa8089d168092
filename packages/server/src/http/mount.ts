// Turns a declared endpoint and its handler into a route: checks, validation, envelope.
import {
  type Access,
  AppError,
  type Call,
  type Endpoint,
  type ErrorKind,
  type Handler,
  successMessage,
} from '@portcullis/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { type Check, type CurrentAccess, confirm, runChecks } from './access-guard.ts';
import { Exchange } from './exchange.ts';
import { headerLines } from './headers.ts';

/** An endpoint with the handler that serves it. Made by `route`, which ties their types together. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly handler: (call: Exchange) => object | Promise<object>;
  /** Told of every answer before it leaves; `failure` is undefined for a success. */
  readonly answered: ((call: Exchange, failure: ErrorKind | undefined) => void) | undefined;
}

/**
 * @example route(listOrders, async ({ caller, query }) => ({ data: await findOrders(caller, query) }))
 */
export function route<E extends Endpoint>(
  endpoint: E,
  handler: Handler<NoInfer<E>>,
  answered?: (call: Call<NoInfer<E>>, failure: ErrorKind | undefined) => void,
): Route {
  return { endpoint, handler, answered } as unknown as Route;
}

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange | undefined;
  }
  interface FastifyContextConfig {
    access?: Access;
  }
}

/** The checks of an access, and those of them that are taken again where access changed before the handler starts. */
export interface Stages {
  readonly first: readonly Check[];
  readonly again: readonly Check[];
}

export function mount(
  app: FastifyInstance,
  routes: readonly Route[],
  pipeline: Record<Access, Stages>,
  current: CurrentAccess,
): void {
  for (const { endpoint, handler, answered } of routes) {
    const { method, path, access } = endpoint;
    const name = `${method} ${path}`;
    const { first, again } = pipeline[access];
    app.route({
      method,
      url: path,
      config: { access },
      schema: schemaOf(endpoint),
      ...(endpoint.bodyLimitBytes === undefined ? {} : { bodyLimit: endpoint.bodyLimitBytes }),
      onRequest(request, reply, done) {
        const exchange = new Exchange(request, reply, name);
        request.exchange = exchange;
        exchange.decidedAt = current.generation;
        runChecks(first, exchange, done);
      },
      ...(again.length === 0
        ? {}
        : {
            preHandler: (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) =>
              confirm(again, exchangeOf(request), current, done),
          }),
      handler(request, reply) {
        const exchange = exchangeOf(request);
        const succeed = (content: object) => {
          const text = serialize(reply, exchange, content);
          answered?.(exchange, undefined);
          writeSuccess(reply, exchange.requestId, text);
        };
        const content = handler(exchange);
        return 'then' in content ? content.then(succeed) : succeed(content);
      },
      ...(answered === undefined ? {} : { onSend: tellFailure(answered) }),
    });
  }
}

/** A success is told by the handler above; only an error takes Fastify's way to an answer. */
function tellFailure(answered: (call: Exchange, failure: ErrorKind | undefined) => void) {
  return async (request: FastifyRequest) => {
    const exchange = exchangeOf(request);
    try {
      answered(exchange, exchange.failure);
    } catch (cause) {
      // Fastify would answer with the text of whatever is thrown here.
      throw new AppError('internal', { cause });
    }
  };
}

function serialize(reply: FastifyReply, { language, requestId }: Exchange, content: object): string {
  return String(reply.serialize({ ...content, code: 200, msg: successMessage[language], requestId }));
}

/** Past Fastify's own way to an answer, which copies every header and asks for hooks: an eighth of a small request. */
function writeSuccess(reply: FastifyReply, requestId: string, text: string): void {
  reply.hijack();
  reply.raw.writeHead(200, headerLines(requestId, text)).end(text);
}

function exchangeOf(request: FastifyRequest): Exchange {
  if (request.exchange === undefined) throw new AppError('internal');
  return request.exchange;
}

function schemaOf({
  params,
  query,
  body,
  reply,
}: Endpoint): Record<string, TSchema | Record<string, TSchema>> {
  return {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined ? {} : { body }),
    response: { 200: reply },
  };
}
