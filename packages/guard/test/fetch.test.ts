// What a guard decides about requests of the Fetch API, which were parsed before it sees them: what it can still tell, and what
// it cannot.
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { protect } from '@portcullis/guard/hono';
import { Hono } from 'hono';
import { methodOverride } from 'hono/method-override';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../../test/rig/http-client.ts';
import { bearer, startWorld, type World } from './world.ts';

let world: World;
let token: string;
let admin: string;

beforeAll(async () => {
  world = await startWorld();
  [token, admin] = [await world.logIn('carl'), await world.logIn('ada')];
});
afterAll(() => world?.close());

const at = (path: string) => `http://orders.example${path}`;

async function outcomeOf(request: Request): Promise<string> {
  const decision = await world.guard.decide(request);
  return decision.allowed === true ? `allowed ${decision.caller.username}` : decision.kind;
}

describe('a request of the Fetch API', () => {
  it.each([
    '/api/v1/orders/',
    '/api/v1//orders',
    '//api/v1/orders',
    '/api/v1/%6frders',
    '/api/v1/orders%2f7',
    '/api/v1/orders%5c7',
    '/api/v1/..%2forders',
    '/api/v1/orders;x=1',
    '/api/v1/orders#x',
    '/api/v1/órders',
    '/api/v1/orders%00',
    '/',
    '',
  ])('is refused where its target can be read in two ways, also for an administrator: %j', async (path) => {
    expect(await outcomeOf(new Request(at(path), { headers: bearer(admin) }))).toBe('route_not_found');
  });

  it.each([
    'file:///api/v1/orders',
    'http:/api/v1/orders',
    'http://orders.example\\api\\v1\\orders',
    '/api/v1/orders',
    'http://orders.example/api/v1/public/../orders',
  ])('is refused where a framework made a URL that was not parsed: %j', async (url) => {
    const request = { url, method: 'GET', headers: new Headers(bearer(admin)) } as Request;
    expect(await outcomeOf(request)).toBe('route_not_found');
  });

  it('is decided by its URL as the router reads it: dot segments and backslashes are not visible', async () => {
    const send = (method: string, path: string) =>
      outcomeOf(new Request(at(path), { method, headers: bearer(token) }));
    for (const way of ['reports/../', './', '%2e%2e/v1/', '..\\v1\\'])
      for (const [method, result] of [
        ['GET', 'allowed carl'],
        ['DELETE', 'permission_denied'],
      ] as const)
        expect(await send(method, `/api/v1/${way}orders/7`), way).toBe(result);
    expect(await send('GET', '/api/v1/orders/../reports/2026/11')).toBe('permission_denied');
  });

  it('is refused with two Authorization headers, which it carries as one, also where both are good', async () => {
    const second = [`Bearer ${token}`, 'Basic YTpi', ''];
    for (const value of second)
      for (const values of [
        [`Bearer ${token}`, value],
        [value, `Bearer ${token}`],
      ]) {
        const headers = new Headers();
        for (const one of values) headers.append('authorization', one);
        expect(await outcomeOf(new Request(at('/api/v1/orders'), { headers })), values.join()).toBe(
          'token_malformed',
        );
      }
  });

  it('is refused with two cookies of the token, however they were joined', async () => {
    for (const mark of [';', '; ', ', ', ',']) {
      const headers = { cookie: `jwt=${token}${mark}jwt=${token}` };
      expect(await outcomeOf(new Request(at('/api/v1/orders'), { headers })), mark).toBe('token_malformed');
    }
  });

  it('is refused by cookie for a page of another site', async () => {
    const send = (headers: Record<string, string>) =>
      outcomeOf(
        new Request(at('/api/v1/orders'), {
          method: 'POST',
          headers: { cookie: `jwt=${token}`, ...headers },
        }),
      );
    expect(await send({})).toBe('cross_site');
    expect(await send({ 'sec-fetch-site': 'cross-site' })).toBe('cross_site');
    expect(await send({ 'sec-fetch-site': 'same-origin, cross-site' })).toBe('cross_site');
    expect(await send({ 'sec-fetch-site': 'same-origin' })).toBe('allowed carl');
  });

  it('is refused where it is not a Request', async () => {
    const message = { url: '/api/v1/orders', method: 'GET', headers: bearer(admin) };
    expect(await outcomeOf(message as never)).toBe('internal');
    expect(await outcomeOf({} as never)).toBe('internal');
  });

  it('is allowed by header, query and cookie, and again after its body was read', async () => {
    const url = at('/api/v1/orders/7?page=2');
    expect(await outcomeOf(new Request(url, { headers: bearer(token) }))).toBe('allowed carl');
    expect(await outcomeOf(new Request(`${url}&token=${token}`))).toBe('allowed carl');
    expect(await outcomeOf(new Request(url, { headers: { cookie: `a=1; jwt=${token}` } }))).toBe(
      'allowed carl',
    );
    const sent = new Request(at('/api/v1/orders'), { method: 'POST', body: '{}', headers: bearer(token) });
    await sent.json();
    expect(await outcomeOf(sent)).toBe('allowed carl');
  });

  it('is answered in its language', async () => {
    const headers = { 'accept-language': 'zh-CN' };
    const decision = await world.guard.decide(new Request(at('/api/v1/orders'), { headers }));
    expect(decision.allowed === false && decision.body).toMatch(/"msg":".*[\u4e00-\u9fff]/);
  });
});

describe('in Hono on Node, where the message as it was sent is known', () => {
  const app = new Hono();
  const entered: string[] = [];
  let server: Server;
  let client: ReturnType<typeof createHttpClient>;

  beforeAll(async () => {
    app.use('/api/*', methodOverride({ app, header: 'x-method' }));
    app.use((context, next) => protect(world.guard)(context, next));
    app.all('*', (context) => {
      entered.push(`${context.req.method} ${context.req.path}`);
      return context.json({ code: 200, username: context.var.caller.username });
    });
    server = createAdaptorServer({ fetch: app.fetch }) as Server;
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    client = createHttpClient((server.address() as AddressInfo).port);
  });
  afterAll(() => {
    client?.close();
    server?.close();
  });

  it.each(['/api/v1/reports/../orders', '/api/v1/./orders', '/api/v1/%2e%2e/v1/orders', '/api/v1\\orders'])(
    'a target that its URL would resolve is refused, also for an administrator: %s',
    async (path) => {
      const { status } = await client.send({ path, headers: bearer(admin) });
      // The server of Hono itself answers some of them with 400.
      expect([400, 404]).toContain(status);
      expect(entered).toEqual([]);
    },
  );

  it('a method that a middleware changed is refused, though the sent one is allowed', async () => {
    const headers = { ...bearer(token), 'x-method': 'DELETE' };
    const { status } = await client.send({ method: 'POST', path: '/api/v1/orders', headers });
    expect([status, entered]).toEqual([404, []]);
  });

  it('a request that was routed by another address than it was sent to is refused', async () => {
    const incoming = { method: 'GET', url: '/api/v1/orders', rawHeaders: [], headers: {} };
    const { status } = await app.request(
      '/api/v1/reports',
      {},
      { incoming: incoming as unknown as IncomingMessage },
    );
    expect([status, entered]).toEqual([404, []]);
  });

  it('two Authorization headers are refused, and one is allowed', async () => {
    const path = '/api/v1/orders';
    const twice = { authorization: [`Bearer ${token}`, `Bearer ${token}`] };
    expect((await client.send({ path, headers: twice })).headers['x-auth-reason']).toBe('token_malformed');
    expect((await client.send({ path, headers: bearer(token) })).body).toMatchObject({ username: 'carl' });
    expect(entered).toEqual(['GET /api/v1/orders']);
  });
});
