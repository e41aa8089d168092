// Calls of front ends on other sites: off unless origins are listed, and then for exactly these, byte by byte.
// Nothing that a caller sends is repeated, and a preflight is answered for real routes alone.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@portcullis/contract';
import type { FastifyInstance } from 'fastify';
import { commonHeaders, requestIdHeader } from './headers.ts';

/** On every answer where origins are listed, also to callers that sent none: caches must not mix the two. */
export const varyOnOrigin = { vary: 'Origin' } as const;

const exposedHeaders = 'X-Auth-Reason, X-Request-Id, Retry-After, X-Policy-Revision';
const preflightHeaders = {
  'access-control-allow-headers': 'Authorization, Content-Type, X-Requested-With',
  'access-control-max-age': '600',
} as const;

/** What is wrong with the setting, each with what to do; empty where nothing is. */
export function lintOrigins(origins: readonly string[]): string[] {
  return origins
    .filter((origin) => !isOrigin(origin))
    .map(
      (origin) =>
        `\`application.origins\` has ${JSON.stringify(origin)}, which no browser sends as an origin. Write scheme, host and port alone, like https://admin.example.com or http://localhost:5173; neither * nor null can be allowed.`,
    );
}

function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Before the router, so that every answer to a listed origin can be read there: a refusal and a 404 too. */
export function setCorsHeaders(
  origins: ReadonlySet<string>,
  { headers }: IncomingMessage,
  response: ServerResponse,
): void {
  response.setHeader('vary', varyOnOrigin.vary);
  const { origin } = headers;
  if (origin === undefined || !origins.has(origin)) return;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-allow-credentials', 'true');
  response.setHeader('access-control-expose-headers', exposedHeaders);
}

/** Gives every path that has a route an OPTIONS, which is not found unless a listed origin asks for a method it has. */
export function answerPreflights(app: FastifyInstance, origins: ReadonlySet<string>): void {
  const methodsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ method, url }) => {
    if (method === 'OPTIONS') return;
    const methods = methodsOf.get(url) ?? new Set();
    methods.add(String(method));
    if (methodsOf.has(url)) return;
    methodsOf.set(url, methods);
    app.route({
      method: 'OPTIONS',
      url,
      config: { access: 'public' },
      onRequest({ id, headers }, reply, done) {
        const asked = headers['access-control-request-method'];
        if (!origins.has(headers.origin ?? '') || asked === undefined || !methods.has(asked)) {
          done(new AppError('route_not_found'));
          return;
        }
        reply.hijack();
        const allowed = { 'access-control-allow-methods': [...methods].join(', '), ...preflightHeaders };
        reply.raw.writeHead(204, { ...commonHeaders, [requestIdHeader]: id, ...allowed }).end();
      },
      handler: () => {},
    });
  });
}
