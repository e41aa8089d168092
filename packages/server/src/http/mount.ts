// Mounts routes on HTTP: checks, recheck, validation, envelope.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Access,
  AppError,
  type Endpoint,
  type Route,
  routeName,
  successMessage,
} from '@portcullis/contract';
import { type CurrentAccess, confirm, reportOutcome, runChecks, type Stages } from '@portcullis/gate';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { CallerChanged } from '../cluster/caller-at-commit.ts';
import { headerLines } from './headers.ts';
import { RequestContext } from './request-context.ts';
import { createStreams, type Decide, type StreamHandler } from './stream.ts';

declare module 'fastify' {
  interface FastifyRequest {
    requestContext: RequestContext | undefined;
  }
  interface FastifyContextConfig {
    access?: Access;
    /** Whether the HTTP status of a refusal is its code. */
    realStatus?: boolean;
  }
}

export function mount(
  app: FastifyInstance,
  routes: readonly Route[],
  pipeline: Record<Access, Stages<RequestContext>>,
  current: CurrentAccess,
  /** Called with every decision, with the error that refused the request. It must not throw. */
  onDecided: (error?: Error) => void = () => {},
): void {
  const streams = createStreams(app.reportFault);
  app.addHook('preClose', async () => streams.endAll());
  for (const route of routes) {
    const { endpoint, onAnswer } = route;
    const { method, path, access } = endpoint;
    const name = routeName(endpoint);
    const { first, again } = pipeline[access];
    const runFirst = (context: RequestContext) => runChecks(first, context);
    const runAgain = (context: RequestContext) => confirm(again, context, current);
    const decide: Decide = (context, done) => reportOutcome(runAgain, context, done);
    const handle = again.length === 0 ? route.handle : rechecked(route.handle, again, current);
    const declare = (scope: FastifyInstance) =>
      scope.route({
        method,
        url: path,
        config: { access, realStatus: endpoint.form === true },
        schema: schemaOf(endpoint),
        ...(endpoint.bodyLimitBytes === undefined ? {} : { bodyLimit: endpoint.bodyLimitBytes }),
        onRequest(request, _reply, done) {
          const context = new RequestContext(request, name);
          request.requestContext = context;
          context.decidedAt = current.generation;
          reportOutcome(runFirst, context, (error) => {
            if (error !== undefined) onDecided(error);
            done(error);
          });
        },
        ...(again.length === 0
          ? {}
          : {
              preHandler: (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) =>
                decide(contextOf(request), (error) => {
                  onDecided(error);
                  done(error);
                }),
            }),
        handler:
          endpoint.stream === undefined
            ? answerOnce({ ...route, handle })
            : (request, reply) =>
                streams.answer(route.handle as StreamHandler, {
                  context: contextOf(request),
                  reply,
                  contentType: endpoint.stream,
                  decide: again.length === 0 ? undefined : decide,
                }),
        ...(onAnswer === undefined ? {} : { onSend: tellFailure(onAnswer) }),
      });
    if (endpoint.form === true) app.register(async (scope) => void declare(takeForms(scope)));
    else declare(app);
  }
}

/** Only for endpoints that declare a form: a page of another site can send a form without a preflight (CSRF). */
function takeForms(scope: FastifyInstance): FastifyInstance {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  return scope;
}

/** How often a request is checked again when its caller changes while it is handled. */
const mostRechecks = 3;
const catchUpPollMilliseconds = 5;

/**
 * Recheck: a handler whose caller changed meanwhile has stored nothing. The caller is checked again, and the handler runs again.
 */
function rechecked(
  handle: Route['handle'],
  again: Stages<RequestContext>['again'],
  current: CurrentAccess,
): (context: RequestContext, state?: unknown) => object | Promise<object> {
  const retryHandler = async (context: RequestContext, state: unknown, error: unknown, left: number) => {
    if (!(error instanceof CallerChanged)) throw error;
    if (left === 0) throw new AppError('unavailable', { cause: error });
    // Without a lease every check refuses, so this loop ends.
    while (current.revision.n < error.revision && current.isLive()) await sleep(catchUpPollMilliseconds);
    await confirm(again, context, current);
    context.ownHeaders = undefined;
    try {
      return await handle(context, state);
    } catch (next) {
      return await retryHandler(context, state, next, left - 1);
    }
  };
  return (context, state) => {
    const content = handle(context, state);
    return 'then' in content
      ? (content as Promise<object>).catch((error: unknown) =>
          retryHandler(context, state, error, mostRechecks),
        )
      : content;
  };
}

/** Stays in the same tick as long as nothing is asynchronous. */
function answerOnce({ begin, handle, onAnswer }: Route) {
  const start =
    begin === undefined
      ? handle
      : (context: RequestContext) => {
          context.state = begin(context);
          return handle(context, context.state);
        };
  return (request: FastifyRequest, reply: FastifyReply) => {
    const context = contextOf(request);
    const succeed = (content: object) => {
      const text = serialize(reply, context, content);
      const write = () => writeSuccess(reply, context, text);
      const told = onAnswer?.(context, context.state, undefined);
      return told === undefined ? write() : told.then(write);
    };
    const content = start(context);
    return 'then' in content ? content.then(succeed) : succeed(content);
  };
}

/** The handler above reports a success; only an error uses Fastify's path to a response. */
function tellFailure(onAnswer: NonNullable<Route['onAnswer']>) {
  return async (request: FastifyRequest) => {
    const context = contextOf(request);
    let told: void | Promise<void>;
    try {
      told = onAnswer(context, context.state, context.failure);
    } catch (cause) {
      // Fastify would answer with the text of an error that is thrown here.
      throw new AppError('internal', { cause });
    }
    await told?.catch(() => {});
  };
}

function serialize(reply: FastifyReply, { language, requestId }: RequestContext, content: object): string {
  return String(reply.serialize({ ...content, code: 200, msg: successMessage[language], requestId }));
}

/** Bypasses Fastify's path to a response, which copies every header and runs hooks: an eighth of a small request. */
function writeSuccess(reply: FastifyReply, { requestId, ownHeaders }: RequestContext, text: string): void {
  reply.hijack();
  const lines = headerLines(requestId, text);
  if (ownHeaders !== undefined) lines.push(...ownHeaders);
  reply.raw.writeHead(200, lines).end(text);
}

function contextOf(request: FastifyRequest): RequestContext {
  if (request.requestContext === undefined) throw new AppError('internal');
  return request.requestContext;
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
