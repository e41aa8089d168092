// Fastify, set up so that nothing of it shows: what it would normalise, echo or log by itself is off, and every
// error is answered by error-reply.ts.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { AppError, type ErrorKind, negotiateLanguage } from '@portcullis/contract';
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
  /** Whether connections are to end with their next answer, so that clients move to another instance. */
  readonly isDraining: () => boolean;
}

/** Node would answer a missing Host by itself, without our envelope; `gate` does it instead. */
const serverOptions = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  requireHostHeader: false,
};

export function createHttpApp({ createRequestId, reportFault, isDraining }: HttpAppOptions): FastifyInstance {
  function answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const error = asAppError(thrown);
    if (request.exchange !== undefined) request.exchange.failure = error.kind;
    // A lost lease is told once where it is lost, not with every request.
    if (error.kind === 'internal' || (error.kind === 'unavailable' && error.cause !== undefined))
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
    clientErrorHandler: (_error, socket) => writeRawError('not_http', socket, createRequestId()),
    serverFactory: (handler) => {
      const refuse = (kind: ErrorKind, { socket }: IncomingMessage) =>
        writeRawError(kind, socket, createRequestId());
      const server = createServer(serverOptions, gate(handler, createRequestId, isDraining));
      server.on('checkExpectation', (request) => refuse('not_http', request));
      server.on('connect', (request) => refuse('route_not_found', request));
      return server;
    },
  });
  app.decorateRequest('exchange', undefined);
  app.setValidatorCompiler(compileValidator);
  app.setErrorHandler(answerError);
  app.removeContentTypeParser('text/plain');
  app.register(async (scope) => answerUnknownRoutes(scope));
  refuseUndeclaredRoutes(app);
  return app;
}

/** Before Fastify reads the body: there is nothing here that would want it. */
function answerUnknownRoutes(scope: FastifyInstance): void {
  scope.addHook('onRequest', (_request, _reply, done) => done(new AppError('route_not_found')));
  scope.setNotFoundHandler(() => {});
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Wraps the router: Fastify answers some bad targets itself, and its answer repeats what was sent. */
function gate(handler: Listener, createRequestId: () => string, isDraining: () => boolean): Listener {
  return (request, response) => {
    const { socket, headers, httpVersion, url = '' } = request;
    if (!socket.writable) return; // What follows a refusal that closes the connection is not run.
    if (isDraining()) response.setHeader('connection', 'close');
    if (headers.host === undefined && httpVersion === '1.1')
      writeRawError('not_http', socket, createRequestId());
    else if (isCanonicalTarget(url)) handler(request, response);
    else
      writeError(
        'route_not_found',
        response,
        createRequestId(),
        negotiateLanguage(headers['accept-language']),
      );
  };
}
