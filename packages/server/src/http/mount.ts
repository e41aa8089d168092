// Turns a declared endpoint and its handler into a route: checks, validation, envelope.
import {
  type Access,
  AppError,
  type Call,
  type Endpoint,
  type ErrorKind,
  type Handler,
  type StreamEndpoint,
  successMessage,
} from '@portcullis/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { type Check, type CurrentAccess, confirm, runChecks } from './access-guard.ts';
import { Exchange } from './exchange.ts';
import { headerLines } from './headers.ts';
import { createStreams, type Decide, type StreamHandler } from './stream.ts';

type Answered = (call: Exchange, failure: ErrorKind | undefined) => void | Promise<void>;

/** An endpoint with the handler that serves it. Made by `route`, which ties their types together. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly handler: (call: Exchange) => object | Promise<object>;
  /**
   * Told of every answer before it leaves; `failure` is undefined for a success. An answer waits for the promise: a
   * success whose promise is rejected becomes that error, any other answer leaves as it is.
   */
  readonly answered: Answered | undefined;
}

/**
 * @example route(listOrders, async ({ caller, query }) => ({ data: await findOrders(caller, query) }))
 */
export function route<E extends Endpoint>(
  endpoint: E,
  handler: Handler<NoInfer<E>>,
  answered?: E extends StreamEndpoint
    ? never
    : (call: Call<NoInfer<E>>, failure: ErrorKind | undefined) => void | Promise<void>,
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
  /** Told of every decision, with the error that refused the request. It must not throw. */
  onDecided: (error?: Error) => void = () => {},
): void {
  const streams = createStreams(app.reportFault);
  app.addHook('preClose', async () => streams.endAll());
  for (const { endpoint, handler, answered } of routes) {
    const { method, path, access } = endpoint;
    const name = `${method} ${path}`;
    const { first, again } = pipeline[access];
    const decide: Decide = (exchange, done) => confirm(again, exchange, current, done);
    app.route({
      method,
      url: path,
      config: { access },
      schema: schemaOf(endpoint),
      ...(endpoint.bodyLimitBytes === undefined ? {} : { bodyLimit: endpoint.bodyLimitBytes }),
      onRequest(request, _reply, done) {
        const exchange = new Exchange(request, name);
        request.exchange = exchange;
        exchange.decidedAt = current.generation;
        runChecks(first, exchange, (error) => {
          if (error !== undefined) onDecided(error);
          done(error);
        });
      },
      ...(again.length === 0
        ? {}
        : {
            preHandler: (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) =>
              decide(exchangeOf(request), (error) => {
                onDecided(error);
                done(error);
              }),
          }),
      handler:
        endpoint.stream === undefined
          ? answerOnce(handler, answered)
          : (request, reply) =>
              streams.answer(handler as StreamHandler, {
                exchange: exchangeOf(request),
                reply,
                contentType: endpoint.stream,
                decide: again.length === 0 ? undefined : decide,
              }),
      ...(answered === undefined ? {} : { onSend: tellFailure(answered) }),
    });
  }
}

/** Stays in the same tick as long as nothing waits. */
function answerOnce(handler: Route['handler'], answered: Answered | undefined) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const exchange = exchangeOf(request);
    const succeed = (content: object) => {
      const text = serialize(reply, exchange, content);
      const write = () => writeSuccess(reply, exchange, text);
      const told = answered?.(exchange, undefined);
      return told === undefined ? write() : told.then(write);
    };
    const content = handler(exchange);
    return 'then' in content ? content.then(succeed) : succeed(content);
  };
}

/** A success is told by the handler above; only an error takes Fastify's way to an answer. */
function tellFailure(answered: Answered) {
  return async (request: FastifyRequest) => {
    const exchange = exchangeOf(request);
    let told: void | Promise<void>;
    try {
      told = answered(exchange, exchange.failure);
    } catch (cause) {
      // Fastify would answer with the text of whatever is thrown here.
      throw new AppError('internal', { cause });
    }
    await told?.catch(() => {});
  };
}

function serialize(reply: FastifyReply, { language, requestId }: Exchange, content: object): string {
  return String(reply.serialize({ ...content, code: 200, msg: successMessage[language], requestId }));
}

/** Past Fastify's own way to an answer, which copies every header and asks for hooks: an eighth of a small request. */
function writeSuccess(reply: FastifyReply, { requestId, ownHeaders }: Exchange, text: string): void {
  reply.hijack();
  const lines = headerLines(requestId, text);
  if (ownHeaders !== undefined) lines.push(...ownHeaders);
  reply.raw.writeHead(200, lines).end(text);
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
    ...(reply === undefined ? {} : { response: { 200: reply } }),
  };
}
