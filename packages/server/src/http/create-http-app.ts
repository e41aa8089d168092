// Creates the Fastify app so that callers notice nothing of Fastify: what it would normalise, echo or log is off, and
// error-reply.ts writes every error.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, type ErrorKind, negotiateLanguage, type PermissionDeniedCode } from '@portcullis/contract';
import { isCanonicalTarget } from '@portcullis/gate';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type ClientAddress, createClientAddress, createTrustedProxies } from './client-address.ts';
import { capConnections } from './connection-cap.ts';
import { beginResponse, createSlowCloser, endAfter, endConnection } from './connection-end.ts';
import { frontDoor, isConsoleRoot } from './console.ts';
import { answerPreflights, setCorsHeaders, varyOnOrigin } from './cors.ts';
import { refuseUndeclaredRoutes } from './declared-access.ts';
import { asAppError, rawError, sendError, writeError } from './error-reply.ts';
import { setCommonHeaders } from './headers.ts';
import { isOneRequest } from './request-smuggling.ts';
import { createSerializerCompiler } from './serialize.ts';
import { createValidatorCompiler } from './validate.ts';

interface HttpAppOptions {
  readonly createRequestId: () => string;
  /** Called with every error that is a fault of the service and not of the caller. */
  readonly reportFault: (cause: unknown, requestId: string) => void;
  /** Whether connections end with their next response, so that clients move to another instance. */
  readonly isDraining: () => boolean;
  /** Proxies whose X-Forwarded-For is trusted, as addresses and CIDR ranges. */
  readonly trustedProxies?: readonly string[];
  /** Origins of other sites that are allowed to call (CORS). */
  readonly origins?: readonly string[];
  /** The most connections that one client network can keep open. */
  readonly connectionsPerNetwork?: number;
  /** The specification's 401, unless it is given. */
  readonly permissionDeniedCode?: PermissionDeniedCode;
}

declare module 'fastify' {
  interface FastifyInstance {
    clientAddress: ClientAddress;
    /** For a fault after which no response can be written. */
    reportFault: HttpAppOptions['reportFault'];
  }
}

/**
 * Node would answer a missing Host without our envelope; `gate` answers it instead. And Node would look for slow connections only
 * every 30 seconds.
 */
const serverOptions = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 500,
  requireHostHeader: false,
};

export function createHttpApp(options: HttpAppOptions): FastifyInstance {
  const { createRequestId, reportFault, trustedProxies = [], connectionsPerNetwork = Infinity } = options;
  const origins = new Set(options.origins);
  const shared = origins.size === 0 ? {} : varyOnOrigin;
  const end = (kind: ErrorKind, socket: Duplex, errorCode?: string) =>
    endConnection(socket, errorCode, () => rawError(kind, createRequestId(), shared));
  const closeSlow = createSlowCloser();
  function answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const error = asAppError(thrown);
    if (request.requestContext !== undefined) request.requestContext.failure = error.kind;
    // A lost lease is logged once where it is lost, not with every request.
    if (error.kind === 'internal' || (error.kind === 'unavailable' && error.cause !== undefined))
      reportFault(error.cause ?? error, request.id);
    setCommonHeaders(request, reply);
    sendError(error, request, reply, options.permissionDeniedCode);
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
    clientErrorHandler: ({ code }, socket) =>
      code === 'ERR_HTTP_REQUEST_TIMEOUT' ? closeSlow(socket) : end('not_http', socket, code),
    serverFactory: (handler) => {
      const listener = gate(handler, options, origins);
      const server = createServer(serverOptions, listener);
      server.on('checkExpectation', listener);
      server.on('connect', ({ socket }) => end('route_not_found', socket));
      const proxies = createTrustedProxies(trustedProxies);
      capConnections(server, { perNetwork: connectionsPerNetwork, proxies });
      return server;
    },
  });
  app.decorate('clientAddress', createClientAddress(trustedProxies));
  app.decorate('reportFault', reportFault);
  app.decorateRequest('requestContext', undefined);
  app.setValidatorCompiler(createValidatorCompiler());
  app.setSerializerCompiler(createSerializerCompiler());
  app.setErrorHandler(answerError);
  app.removeContentTypeParser('text/plain');
  app.register(async (scope) => answerUnknownRoutes(scope));
  refuseUndeclaredRoutes(app);
  if (origins.size > 0) answerPreflights(app, origins);
  return app;
}

/** Runs before Fastify reads the body, which an unknown route does not need. */
function answerUnknownRoutes(scope: FastifyInstance): void {
  scope.addHook('onRequest', (_request, _reply, done) => done(new AppError('route_not_found')));
  scope.setNotFoundHandler(() => {});
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Wraps the router, because Fastify answers some invalid targets itself, and its answer repeats what was sent. */
function gate(
  handler: Listener,
  { createRequestId, isDraining }: HttpAppOptions,
  origins: ReadonlySet<string>,
): Listener {
  function refuse(kind: ErrorKind, { headers }: IncomingMessage, response: ServerResponse): void {
    writeError(kind, response, createRequestId(), negotiateLanguage(headers['accept-language']));
  }
  return (request, response) => {
    const { socket, url = '' } = request;
    if (!beginResponse(socket, response)) return;
    if (isDraining()) response.setHeader('connection', 'close');
    if (origins.size > 0) setCorsHeaders(origins, request, response);
    if (!isOneRequest(request)) {
      endAfter(socket, response);
      refuse('not_http', request, response);
    } else if (isCanonicalTarget(url) || isConsoleRoot(url) || url === frontDoor) handler(request, response);
    else refuse('route_not_found', request, response);
  };
}
