// What a service makes of the decision listener's answers, and of none.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { fetchScope, type ResolvedScope } from '../src/data-scope.ts';

const secret = 'a-secret-of-the-services-0123456789';
const caller = { userId: 7 };
let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

async function ask(listener: RequestListener, user = caller): Promise<ResolvedScope> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return await fetchScope({ url: `http://127.0.0.1:${port}`, secret }, user);
}
const answer =
  (body: unknown, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));

describe('fetchScope throws', () => {
  it.each<[string, RequestListener]>([
    ['401', answer({ scope: 'all', departments: [], userId: 7 }, 401)],
    ['201', answer({ scope: 'all', departments: [], userId: 7 }, 201)],
    ['503', answer({ scope: 'all', departments: [], userId: 7 }, 503)],
    ['no JSON', answer('all')],
    ['null', answer('null')],
    ['an unknown scope', answer({ scope: '1', departments: [], userId: 7 })],
    ['the scope of another user', answer({ scope: 'all', departments: [], userId: 8 })],
    ['a scope without a user', answer({ scope: 'all', departments: [] })],
    ['departments that are no ids', answer({ scope: 'departments', departments: ['1'], userId: 7 })],
    [
      'a redirect, wherever it leads',
      ({ url }, response) =>
        url === '/elsewhere'
          ? response.end(JSON.stringify({ scope: 'all', departments: [], userId: 7 }))
          : response.writeHead(302, { location: '/elsewhere' }).end(),
    ],
    ['half an answer', (_request, response) => response.write('{"scope":"all"', () => response.destroy())],
  ])('on %s', async (_, listener) => {
    await expect(ask(listener)).rejects.toThrow();
  });

  it('when no answer comes within the limit', async () => {
    await expect(ask(() => {})).rejects.toThrow(/timeout/);
  });

  it('when the port refuses the connection', async () => {
    await expect(fetchScope({ url: 'http://127.0.0.1:1', secret }, caller)).rejects.toThrow();
  });

  it.each([0, 1.5, Number.NaN, '7', undefined])('for the user id %s, without a request', async (userId) => {
    let asked = 0;
    const listener: RequestListener = (_request, response) => {
      asked += 1;
      response.end(JSON.stringify({ scope: 'all', departments: [], userId }));
    };
    await expect(ask(listener, { userId: userId as number })).rejects.toThrow(TypeError);
    expect(asked).toBe(0);
  });
});

it.each<[object, ResolvedScope]>([
  [{ scope: 'all', departments: [] }, { scope: 'all' }],
  [
    { scope: 'departments', departments: [3, 4] },
    { scope: 'departments', departments: [3, 4] },
  ],
  [
    { scope: 'departments', departments: [] },
    { scope: 'departments', departments: [] },
  ],
  [
    { scope: 'own', departments: [] },
    { scope: 'own', userId: 7 },
  ],
])('fetchScope reads %j', async (body, expected) => {
  expect(await ask(answer({ ...body, userId: 7 }))).toEqual(expected);
});

it('fetchScope asks for the user with the secret', async () => {
  const seen: unknown[] = [];
  await ask((request, response) => {
    seen.push(request.method, request.url, request.headers.authorization);
    response.end(JSON.stringify({ scope: 'own', departments: [], userId: 7 }));
  });
  expect(seen).toEqual(['GET', '/access/v1/scope?userId=7', `Bearer ${secret}`]);
});
