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
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { type Check, runChecks } from './access-guard.ts';
import { Exchange } from './exchange.ts';
import { setCommonHeaders } from './headers.ts';

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

export function mount(
  app: FastifyInstance,
  routes: readonly Route[],
  pipeline: Record<Access, readonly Check[]>,
): void {
  for (const { endpoint, handler, answered } of routes) {
    const { method, path, access } = endpoint;
    const name = `${method} ${path}`;
    const checks = pipeline[access];
    app.route({
      method,
      url: path,
      config: { access },
      schema: schemaOf(endpoint),
      ...(endpoint.bodyLimitBytes === undefined ? {} : { bodyLimit: endpoint.bodyLimitBytes }),
      onRequest(request, reply, done) {
        const exchange = new Exchange(request, reply, name);
        request.exchange = exchange;
        setCommonHeaders(request, reply);
        runChecks(checks, exchange, done);
      },
      handler(request) {
        const exchange = exchangeOf(request);
        const content = handler(exchange);
        return 'then' in content
          ? content.then((settled) => envelope(exchange, settled))
          : envelope(exchange, content);
      },
      ...(answered === undefined
        ? {}
        : {
            onSend: async (request: FastifyRequest) => {
              const exchange = exchangeOf(request);
              answered(exchange, exchange.failure);
            },
          }),
    });
  }
}

function envelope({ language, requestId }: Exchange, content: object) {
  return { ...content, code: 200, msg: successMessage[language], requestId };
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
