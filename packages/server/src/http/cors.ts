// CORS: calls of front ends on other sites are refused unless origins are listed, and then allowed for exactly these, byte by
// byte. Responses repeat nothing that a caller sends, and a preflight is answered for existing routes only.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@portcullis/contract';
import type { FastifyInstance } from 'fastify';
import { commonHeaders, requestIdHeader } from './headers.ts';

/** On every response when origins are listed, also to callers that sent none: caches must not mix the two. */
export const varyOnOrigin = { vary: 'Origin' } as const;

const exposedHeaders = 'X-Auth-Reason, X-Request-Id, Retry-After, X-Policy-Revision';
const preflightHeaders = {
  'access-control-allow-headers': 'Authorization, Content-Type, X-Requested-With',
  'access-control-max-age': '600',
} as const;

/** Lint of the setting: each problem with its remedy; empty when there is none. */
export function lintOrigins(origins: readonly string[]): string[] {
  return origins
    .filter((origin) => !isOrigin(origin))
    .map(
      (origin) =>
        `\`application.allowedOrigins\` contains ${JSON.stringify(origin)}, which browsers never send as an origin. Write only scheme, host and port, like https://admin.example.com or http://localhost:5173; * and null are refused.`,
    );
}

function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Runs before the router, so that a listed origin can read every response, also a refusal and a 404. */
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

/** Adds an OPTIONS route to each path; it is not found unless a listed origin asks for a method of that path. */
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
