// Fastify, set up so that nothing of it shows: what it would normalise, echo or log by itself is off, and every
// error is answered by error-reply.ts.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type ErrorKind, negotiateLanguage } from '@portcullis/contract';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { refuseUndeclaredRoutes } from './access-guard.ts';
import { asAppError, sendError, writeError, writeRawError } from './error-reply.ts';
import { setCommonHeaders } from './headers.ts';
import { isCanonicalTarget } from './request-target.ts';
import { compileValidator } from './validate.ts';

interface HttpAppOptions {
  readonly createRequestId: () => string;
  /** Told of every answer that is our fault and not the caller's. */
  readonly reportFault: (cause: unknown, requestId: string) => void;
}

/** Node would answer a missing Host by itself, without our envelope; `gate` does it instead. */
const serverOptions = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  requireHostHeader: false,
};

export function createHttpApp({ createRequestId, reportFault }: HttpAppOptions): FastifyInstance {
  function answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const error = asAppError(thrown);
    if (request.exchange !== undefined) request.exchange.failure = error.kind;
    if (error.kind === 'internal' || error.kind === 'unavailable')
      reportFault(error.cause ?? error, request.id);
    setCommonHeaders(request, reply);
    sendError(error, request, reply);
  }

  const app = Fastify({
    logger: false,
    genReqId: createRequestId,
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 64 },
    exposeHeadRoutes: false,
    bodyLimit: 16 * 1024,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: answerError,
    clientErrorHandler: (_error, socket) => writeRawError(socket, createRequestId()),
    serverFactory: (handler) => {
      const refuse = (kind: ErrorKind) => (request: IncomingMessage, response: ServerResponse) =>
        writeError(kind, response, createRequestId(), negotiateLanguage(request.headers['accept-language']));
      const server = createServer(serverOptions, gate(handler, refuse));
      return server.on('checkExpectation', refuse('not_http'));
    },
  });
  app.decorateRequest('exchange', undefined);
  app.setValidatorCompiler(compileValidator);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) => answerError({ statusCode: 404 }, request, reply));
  refuseUndeclaredRoutes(app);
  return app;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Wraps the router: Fastify answers some bad targets itself, and its answer repeats what was sent. */
function gate(handler: Listener, refuse: (kind: ErrorKind) => Listener): Listener {
  const refuseTarget = refuse('route_not_found');
  const refuseRequest = refuse('not_http');
  return (request, response) => {
    if (request.headers.host === undefined && request.httpVersion === '1.1') refuseRequest(request, response);
    else if (isCanonicalTarget(request.url ?? '')) handler(request, response);
    else refuseTarget(request, response);
  };
}
