// The guard in every framework that has an adapter, each as it really runs.
import { once } from 'node:events';
import { connect } from 'node:net';
import { errorTable } from '@portcullis/contract';
import type { Guard } from '@portcullis/guard';
import { callerOf } from '@portcullis/guard/express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, createHttpClient, type Request } from '../../../test/rig/http-client.ts';
import { type Adapted, serveExpress, serveFastify, serveFetch, serveHono, serveKoa } from './frameworks.ts';
import { bearer, startWorld, type World } from './world.ts';

let world: World;
let token: string;
const open: Adapted[] = [];

beforeAll(async () => {
  world = await startWorld();
  token = await world.logIn('carl');
});
afterAll(async () => {
  for (const service of open) await service.close();
  await world?.close();
});

const adapters: readonly (readonly [name: string, serve: (guard: Guard) => Promise<Adapted>])[] = [
  ['Express, before everything', (guard) => serveExpress(guard, '')],
  ['Express, before one router', (guard) => serveExpress(guard, '/api/v1')],
  ['Fastify', serveFastify],
  ['Koa', (guard) => serveKoa(guard)],
  ['Koa, mounted at a prefix', (guard) => serveKoa(guard, '/api/v1')],
  ['Hono', serveHono],
  ['a handler of the Fetch API', serveFetch],
];

describe.each(adapters)('in %s', (_name, serveOne) => {
  async function serve(guard: Guard): Promise<Adapted> {
    const service = await serveOne(guard);
    open.push(service);
    return service;
  }

  it('refuses and allows by the target as it was sent', async () => {
    const service = await serve(world.guard);
    await expectRefusals(service);
    await expectAllowed(service, token);
  });

  it('refuses what was taken away, and everything without a lease', async () => {
    const guard = await world.openGuard();
    const service = await serve(guard);
    const own = await world.logIn('carl');
    await expectAllowed(service, own);
    await world.service.send({ method: 'POST', path: '/api/v1/logout', headers: bearer(own) });
    await expectRefused(service, { path: '/api/v1/orders', headers: bearer(own) }, 'token_revoked');
    await guard.close();
    await expectRefused(service, { path: '/api/v1/orders', headers: bearer(token) }, 'unavailable');
  });

  it('enters no handler where the guard itself fails', async () => {
    const broken = (decide: Guard['decide']): Guard => ({
      decide,
      isReady: () => true,
      status: () => ({ isReady: true, revision: 0, leaseRemainingSeconds: 1, leaseLosses: 0, reconnects: 0 }),
      close: async () => {},
    });
    for (const decide of [
      () => Promise.reject(new Error('broken')),
      () => {
        throw new Error('broken');
      },
      () => ({ allowed: 'yes', status: 503, headers: {}, body: '' }) as never,
    ]) {
      const service = await serve(broken(decide));
      const { status } = await sendTo(service, { path: '/api/v1/orders', headers: bearer(token) });
      expect(status).toBeGreaterThanOrEqual(500);
      expect(service.entries()).toBe(0);
    }
  });
});

describe('in Fastify, which decides before the body is read and again when it has come', () => {
  it('refuses a request whose token was ended while its body came in', async () => {
    const service = await serveFastify(world.guard);
    open.push(service);
    const own = await world.logIn('carl');
    await expectAllowed(service, own);
    const before = service.entries();
    const socket = connect(service.port, '127.0.0.1').setEncoding('utf8');
    const body = '{"item":"slow"}';
    socket.write(
      `POST /api/v1/orders HTTP/1.1\r\nHost: orders\r\nAuthorization: Bearer ${own}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    // It is under way once the service has answered another one that came after it.
    await expectAllowed(service, token);
    await world.service.send({ method: 'POST', path: '/api/v1/logout', headers: bearer(own) });
    let answer = '';
    socket.on('data', (text) => {
      answer += text;
    });
    socket.write(body.slice(5));
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toMatch(/^x-auth-reason: token_revoked\r$/m);
    expect(service.entries(), 'but for the two that were allowed').toBe(before + 2);
  });

  it('refuses where there is no route', async () => {
    const service = await serveFastify(world.guard);
    open.push(service);
    await expectRefused(service, { path: '/api/v1/nothing' }, 'token_missing');
  });
});

it('in Express, returns no caller on a route without a guard', () => {
  expect(() => callerOf({} as never)).toThrow(
    'No guard protects this route. Call `protect` before its handler.',
  );
});

function sendTo({ port }: Adapted, request: Request): Promise<Answer> {
  const client = createHttpClient(port);
  return client.send(request).finally(client.close);
}

type Refusal =
  | 'token_missing'
  | 'token_malformed'
  | 'token_revoked'
  | 'permission_denied'
  | 'route_not_found'
  | 'unavailable';

/** The exact answer, and no handler entered. */
async function expectRefused(service: Adapted, request: Request, kind: Refusal): Promise<void> {
  const before = service.entries();
  const { status, headers, text } = await sendTo(service, request);
  const { code, text: texts, status: expected, ...row } = errorTable[kind];
  expect(status).toBe(expected);
  expect(text).toBe(JSON.stringify({ code, msg: texts.en }));
  expect(headers['x-auth-reason']).toBe('reason' in row ? row.reason : undefined);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['cache-control']).toBe('no-store');
  expect(service.entries()).toBe(before);
}

/** What is refused of a clerk. */
async function expectRefusals(service: Adapted): Promise<void> {
  const headers = bearer(token);
  await expectRefused(service, { path: '/api/v1/orders' }, 'token_missing');
  await expectRefused(service, { path: '/api/v1/orders', headers: bearer('a.b.c') }, 'token_malformed');
  await expectRefused(service, { method: 'DELETE', path: '/api/v1/orders/7', headers }, 'permission_denied');
  await expectRefused(service, { path: '/api/v1/orders/', headers }, 'route_not_found');
  await expectRefused(service, { path: '/api/v1/%6frders', headers }, 'route_not_found');
  const twice = {
    path: '/api/v1/orders',
    headers: { authorization: [`Bearer ${token}`, `Bearer ${token}`] },
  };
  await expectRefused(service, twice, 'token_malformed');
}

async function expectAllowed(service: Adapted, own: string): Promise<void> {
  for (const path of ['/api/v1/orders', '/api/v1/orders/7?page=2']) {
    const { status, body } = await sendTo(service, { path, headers: bearer(own) });
    expect([status, body]).toEqual([200, { username: 'carl', roleKey: 'clerk' }]);
  }
}
