// Over real sockets: the headers are set before everything that Fastify's own test entry reaches.

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { AppError, dataReply, defineEndpoint, route } from '@portcullis/contract';
import { createPipeline } from '@portcullis/gate';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lintOrigins } from '../../src/http/cors.ts';
import { createHttpApp } from '../../src/http/create-http-app.ts';
import { mount } from '../../src/http/mount.ts';

const good = 'https://good.example';
const other = 'http://localhost:5173';
const path = '/api/v1/orders/:id';
const common = { path, access: 'public', reply: dataReply(Type.Null()) } as const;
const show = defineEndpoint({ ...common, method: 'GET', title: 'Show' });
const remove = defineEndpoint({ ...common, method: 'DELETE', title: 'Remove' });
const refused = defineEndpoint({ ...common, path: '/api/v1/refused', method: 'POST', title: 'Refused' });

function createApp(origins: readonly string[]): FastifyInstance {
  const pass = () => {};
  const app = createHttpApp({
    createRequestId: () => 'request-1',
    reportFault: () => {},
    isDraining: () => false,
    origins,
  });
  const routes = [
    route(show, () => ({ data: null })),
    route(remove, () => ({ data: null })),
    route(refused, () => {
      throw new AppError('permission_denied');
    }),
  ];
  const checks = createPipeline({
    limit: pass,
    limitCaller: pass,
    leased: pass,
    identify: pass,
    site: pass,
    passwordDue: pass,
    permit: pass,
  });
  mount(app, routes, checks, { revision: { n: 1, mark: '' }, generation: 1, isLive: () => true });
  return app;
}

const open = createApp([good, other]);
const closed = createApp([]);
const portOf = ({ server }: FastifyInstance) => (server.address() as AddressInfo).port;
beforeAll(async () => {
  await open.listen({ host: '127.0.0.1', port: 0 });
  await closed.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await open.close();
  await closed.close();
});

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | string[]>;
}

async function send(app: FastifyInstance, { method = 'GET', path = '/api/v1/orders/7', headers = {} }: Sent) {
  const sent = request({ host: '127.0.0.1', port: portOf(app), method, path, headers, agent: false }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const part of answer.setEncoding('utf8')) text += part;
  return { status: answer.statusCode, headers: answer.headers, text };
}

const preflight = (origin: string, method = 'DELETE', path?: string): Sent => ({
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': method },
  ...(path === undefined ? {} : { path }),
});
const corsHeaders = (headers: object) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

const answers: [string, Sent, number][] = [
  ['a success', {}, 200],
  ['a refusal', { method: 'POST', path: '/api/v1/refused' }, 200],
  ['an unknown path', { path: '/api/v1/nothing' }, 404],
  ['a target that is not canonical', { path: '/api/v1//orders' }, 404],
  [
    'a wrong content type',
    { method: 'DELETE', headers: { 'content-type': 'text/x', 'content-length': '0' } },
    415,
  ],
  ['an OPTIONS that is no preflight', { method: 'OPTIONS' }, 404],
];

describe.each(answers)('%s', (_what, sent, status) => {
  it('can be read by a listed origin, and varies by it', async () => {
    for (const origin of [good, other]) {
      const answer = await send(open, { ...sent, headers: { ...sent.headers, origin } });
      expect(answer.status).toBe(status);
      expect(answer.headers).toMatchObject({
        vary: 'Origin',
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': 'X-Auth-Reason, X-Request-Id, Retry-After, X-Policy-Revision',
        'cache-control': 'no-store',
        'x-request-id': 'request-1',
      });
    }
  });

  it('shows nothing to another origin or none, and varies all the same', async () => {
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin: 'null' }]) {
      const answer = await send(open, { ...sent, headers: { ...sent.headers, ...headers } });
      expect(answer.status).toBe(status);
      expect(answer.headers.vary).toBe('Origin');
      expect(corsHeaders(answer.headers)).toEqual([]);
    }
  });

  it('has no CORS header where no origin is listed', async () => {
    const answer = await send(closed, { ...sent, headers: { ...sent.headers, origin: good } });
    expect(answer.status).toBe(status);
    expect(corsHeaders(answer.headers)).toEqual([]);
    expect(answer.headers.vary).toBeUndefined();
  });
});

it('sends Vary for a message that is not HTTP, and lets no origin read the answer', async () => {
  const socket = connect(portOf(open), '127.0.0.1').setEncoding('latin1');
  socket.end(`GET / HTTP/9.9\r\nOrigin: ${good}\r\n\r\n`);
  const [text] = (await once(socket, 'data')) as [string];
  expect(text).toContain('\r\nvary: Origin\r\n');
  expect(text).not.toContain('access-control');
});

describe('a preflight', () => {
  it('of a listed origin for a method of the path is answered without a body', async () => {
    for (const [origin, method] of [
      [good, 'GET'],
      [other, 'DELETE'],
    ] as const) {
      const answer = await send(open, preflight(origin, method));
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers).toMatchObject({
        vary: 'Origin',
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'GET, DELETE',
        'access-control-allow-headers': 'Authorization, Content-Type, X-Requested-With',
        'access-control-max-age': '600',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-request-id': 'request-1',
      });
    }
  });

  it.each([
    ['another origin', preflight('https://evil.example')],
    ['the origin null', preflight('null')],
    ['no origin', { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } }],
    ['two origins', preflight(`${good}, ${good}`)],
    ['a method that the path does not have', preflight(good, 'PUT')],
    ['a method in another case', preflight(good, 'delete')],
    ['no method', { method: 'OPTIONS', headers: { origin: good } }],
    ['OPTIONS itself', preflight(good, 'OPTIONS')],
    ['a path that is no route', preflight(good, 'GET', '/api/v1/refresh_token')],
    ['a path that is not canonical', preflight(good, 'GET', '/api/v1/orders/7/')],
    ['everything', { ...preflight(good), path: '*' }],
  ] as [string, Sent][])('of %s is not found', async (_what, sent) => {
    const answer = await send(open, sent);
    expect(answer.status).toBe(404);
    expect(answer.headers.allow).toBeUndefined();
    expect(answer.headers['access-control-allow-methods']).toBeUndefined();
  });

  it('is not found where no origin is listed', async () => {
    expect((await send(closed, preflight(good))).status).toBe(404);
  });
});

describe('the setting application.allowedOrigins', () => {
  it.each([
    '*',
    'null',
    '',
    'good.example',
    '//good.example',
    'https://good.example/',
    'https://good.example/path',
    'https://good.example:443',
    'http://good.example:80',
    'HTTPS://good.example',
    'https://Good.example',
    'https://*.example',
    'https://gööd.example',
    'https://user@good.example',
    'https://good.example?x',
    ' https://good.example',
    'ftp://good.example',
    'file:///etc',
    'https://good.example https://other.example',
  ])('refuses %j and says what to write', (origin) => {
    expect(lintOrigins([good, origin])).toEqual([
      expect.stringMatching(/^`application\.allowedOrigins` contains .* Write only scheme, host and port/),
    ]);
  });

  it('takes exact origins', () => {
    expect(
      lintOrigins([good, other, 'https://xn--gd-fkaa.example', 'http://[::1]:8080', 'https://192.0.2.1']),
    ).toEqual([]);
  });
});
