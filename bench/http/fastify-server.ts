// Fastify with the same answer and no check: with our headers, or without them (`--bare`).
import { randomBytes } from 'node:crypto';
import Fastify from 'fastify';
import { commonHeaders, requestIdHeader } from '../../packages/server/src/http/headers.ts';
import { createRequestIds } from '../../packages/server/src/http/request-id.ts';
import { hello, helloEndpoint } from './hello.ts';

const app = Fastify({ logger: false, genReqId: createRequestIds(randomBytes) });
if (!process.argv.includes('--bare'))
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders).header(requestIdHeader, request.id);
    done();
  });
app.get(helloEndpoint.path, { schema: { response: { 200: helloEndpoint.reply } } }, async (request) => ({
  code: 200,
  msg: 'success',
  data: hello,
  requestId: request.id,
}));
await app.listen({ host: '127.0.0.1', port: 0 });
console.log(JSON.stringify({ msg: 'ready', port: (app.server.address() as { port: number }).port }));
