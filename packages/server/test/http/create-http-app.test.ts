// Over real sockets, because the gate stands before everything that Fastify's own test entry reaches.

import { type AddressInfo, connect } from 'node:net';
import { dataReply, defineEndpoint, route } from '@portcullis/contract';
import { createPipeline } from '@portcullis/gate';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countAwakeTime } from '../../../../test/rig/awake-time.ts';
import { judgeTime } from '../../../../test/rig/judges-times.ts';
import { createHttpApp } from '../../src/http/create-http-app.ts';
import { mount } from '../../src/http/mount.ts';

const endpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/orders/:id',
  access: 'public',
  title: 'Show an order',
  params: Type.Object({ id: Type.String() }),
  reply: dataReply(Type.String()),
});
let entered = 0;
const isDraining = false;
const app = createHttpApp({
  createRequestId: () => 'request-1',
  reportFault: () => {},
  isDraining: () => isDraining,
});
mount(
  app,
  [
    route(endpoint, ({ params }) => {
      entered += 1;
      return { data: params.id };
    }),
  ],
  createPipeline({
    limit: () => {},
    limitCaller: () => {},
    leased: () => {},
    identify: () => {},
    site: () => {},
    passwordDue: () => {},
    permit: () => {},
  }),
  { revision: { n: 1, mark: '' }, generation: 1, isLive: () => true },
);
let port: number;

beforeAll(async () => {
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
});
afterAll(() => app.close());

/** Sends the bytes as they are and gives back everything until the server hangs up. */
async function exchange(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  // A reset is an end as well, and takes nothing away that has come before it.
  const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
  socket.setEncoding('latin1').end(Buffer.from(bytes, 'latin1'));
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });
  await closed;
  return answer;
}
const get = (target: string) => exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);

const headers = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-request-id': 'request-1',
  'content-type': 'application/json; charset=utf-8',
};
function expectOurs(answer: string, status: number, body: object): void {
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  for (const [name, value] of Object.entries(headers))
    expect(answer.toLowerCase()).toContain(`\r\n${name}: ${value}\r\n`);
  expect(JSON.parse(/\{.*\}/.exec(answer)?.[0] ?? '')).toEqual(body);
  expect(answer).not.toContain('canary');
}

describe('a target that is not canonical', () => {
  it.each([
    '/api/v1/orders/7/',
    '//api/v1/orders/7',
    '/api/v1/%6frders/7',
    '/api/v1/x/../orders/7',
    '/api/v1/orders/7;canary',
    '/api/v1/orders/7#canary',
    '/api/v1/orders/canary%2f7',
    '/%zz?token=canary',
    'http://canary/api/v1/orders/7',
    '*',
  ])('%s is not found, before any handler and without an echo', async (target) => {
    const before = entered;
    expectOurs(await get(target), 404, { code: 404, msg: 'There is no such address.' });
    expect(entered).toBe(before);
  });

  it('is answered in the language that it asks for', async () => {
    const answer = await exchange(
      'GET // HTTP/1.1\r\nHost: x\r\nAccept-Language: zh\r\nConnection: close\r\n\r\n',
    );
    expect(Buffer.from(answer, 'latin1').toString()).toContain('地址不存在。');
  });
});

describe('a message that is not HTTP', () => {
  it.each([
    ['no method', 'canary\r\n\r\n'],
    ['an unknown method', 'CANARY / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a space in the target', 'GET /canary x HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a byte beyond ASCII in the target', 'GET /api/v1/orders/\xff HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['two lengths', 'POST /canary HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
    [
      'a length and chunks',
      'POST /canary HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['two hosts', 'GET /api/v1/orders/7 HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n'],
    ['two hosts in other cases', 'GET /api/v1/orders/7 HTTP/1.0\r\nHost: x\r\nhOST: y\r\n\r\n'],
    ['no host', 'GET /api/v1/orders/7 HTTP/1.1\r\n\r\n'],
    ['HTTP 2.0', 'GET /api/v1/orders/7 HTTP/2.0\r\nHost: x\r\n\r\n'],
    ['HTTP 0.9', 'GET /api/v1/orders/7\r\n\r\n'],
    [
      'a coding beside chunks',
      'GET /api/v1/orders/7 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'chunks in HTTP 1.0',
      'GET /api/v1/orders/7 HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a folded header', 'GET /canary HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\nB\r\n\r\n'],
    ['headers without an end', `GET /canary HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`],
  ])('(%s) is answered with 400 in our envelope, and the connection ends', async (_what, bytes) => {
    const before = entered;
    const answer = await exchange(bytes);
    expectOurs(answer, 400, { code: 400, msg: 'This is not a request that the service can read.' });
    expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n');
    expect(entered).toBe(before);
  });
});

describe('answers that Node would send without a handler', () => {
  it.each([
    [
      'an unknown expectation',
      'GET /api/v1/orders/7 HTTP/1.1\r\nHost: x\r\nExpect: canary\r\nConnection: close\r\n\r\n',
    ],
  ])('(%s) carries our envelope and headers too', async (_what, bytes) => {
    const answer = await exchange(bytes);
    expect(answer).toContain('x-request-id: request-1');
    expect(answer).toMatch(/\{"code":\d+,"msg":"/);
  });

  it('treats an upgrade that is not offered as a normal request', async () => {
    const upgrade = 'Host: x\r\nConnection: upgrade\r\nUpgrade: canary\r\n\r\n';
    const answer = await exchange(`GET /api/v1/orders/7/ HTTP/1.1\r\n${upgrade}`);
    expectOurs(answer, 404, { code: 404, msg: 'There is no such address.' });
  });
});

it('closes the connection of a refused client that does not hang up', async () => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
  socket.write('canary\r\n\r\n');
  const readTime = countAwakeTime();
  const counting = setInterval(() => socket.write('x'), 50);
  await new Promise((resolve) => socket.resume().on('close', resolve));
  clearInterval(counting);
  judgeTime('The end of the connection', readTime(), 3000);
});

it('HTTP 1.0 needs no host', async () => {
  expect(await exchange('GET /api/v1/orders/7 HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
});

it('passes a canonical target to its handler', async () => {
  expectOurs(await get('/api/v1/orders/7?a=b'), 200, {
    code: 200,
    msg: 'success',
    data: '7',
    requestId: 'request-1',
  });
});
