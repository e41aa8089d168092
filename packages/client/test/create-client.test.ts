// The client against a server that answers what a test tells it to: the events, each once, and every way in which an
// answer can fail to come. What the service itself answers is held by test/conformance/client.test.ts.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Client,
  type ClientError,
  type ClientOptions,
  createClient,
  type TokenStore,
} from '@portcullis/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const server = createServer((request, response) => respond(request, response));
let respond: RequestListener;
let baseUrl: string;
let events: string[];

beforeEach(async () => {
  events = [];
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

function storeOf(token?: string): TokenStore {
  let kept = token;
  return {
    get: () => kept,
    set(next) {
      kept = next;
    },
  };
}

function connect(token?: string, options: ClientOptions = {}): Client {
  return createClient({
    baseUrl,
    tokenStore: storeOf(token),
    onSignedOut: ({ reason }) => events.push(`signed out: ${reason}`),
    onNotAllowed: ({ msg }) => events.push(`not allowed: ${msg}`),
    ...options,
  });
}

function answer(response: ServerResponse, body: object, headers: Record<string, string> = {}): void {
  response
    .writeHead(200, { 'content-type': 'application/json; charset=utf-8', ...headers })
    .end(JSON.stringify(body));
}

const success = (response: ServerResponse) =>
  answer(response, { code: 200, msg: 'success', data: {}, requestId: 'r' });
const refuse = (response: ServerResponse, reason: string) =>
  answer(response, { code: 401, msg: 'no' }, { 'x-auth-reason': reason });
const failureOf = (call: Promise<unknown>): Promise<ClientError> =>
  call.then(
    () => Promise.reject(new Error('This was no failure.')),
    (error: ClientError) => error,
  );

describe('the event signedOut', () => {
  it('fires once for many calls that fail together, and the client forgets the token', async () => {
    respond = (_request, response) => refuse(response, 'token_revoked');
    const client = connect('t1');
    const failures = await Promise.all(Array.from({ length: 20 }, () => failureOf(client.getInfo())));
    expect(failures.map(({ kind }) => kind)).toEqual(Array(20).fill('signed_out'));
    expect(events).toEqual(['signed out: token_revoked']);
    expect(client.tokenStore.get()).toBeUndefined();
  });

  it('fires once while no token follows, and again for the next token', async () => {
    respond = ({ headers }, response) =>
      refuse(response, headers.authorization ? 'token_expired' : 'token_missing');
    const client = connect();
    await failureOf(client.getInfo());
    await failureOf(client.getInfo());
    client.tokenStore.set('t2');
    await failureOf(client.getInfo());
    await failureOf(client.getInfo());
    expect(events).toEqual(['signed out: token_missing', 'signed out: token_expired']);
  });

  it('fires where another tab removes the token that this client used', async () => {
    respond = ({ headers }, response) =>
      headers.authorization ? success(response) : refuse(response, 'token_missing');
    const client = connect();
    await failureOf(client.getInfo());
    client.tokenStore.set('t1');
    await client.getInfo();
    client.tokenStore.set(undefined);
    await failureOf(client.getInfo());
    expect(events).toEqual(Array(2).fill('signed out: token_missing'));
  });

  it('does not fire for a token that was replaced during the call', async () => {
    const client = connect('old');
    respond = (_request, response) => {
      client.tokenStore.set('new');
      refuse(response, 'token_revoked');
    };
    expect(await failureOf(client.getInfo())).toMatchObject({ kind: 'signed_out' });
    expect(events).toEqual([]);
    expect(client.tokenStore.get()).toBe('new');
  });

  it('does not fire for a logout, or for calls that fail because of it', async () => {
    respond = ({ url }, response) =>
      url?.endsWith('logout') ? success(response) : refuse(response, 'token_missing');
    const client = connect('t1');
    await client.logout();
    expect(client.tokenStore.get()).toBeUndefined();
    await failureOf(client.getInfo());
    expect(events).toEqual([]);
  });

  it('fires where the answer hides the reason', async () => {
    respond = (_request, response) => answer(response, { code: 401, msg: 'no' });
    await failureOf(connect('t1').getInfo());
    expect(events).toEqual(['signed out: undefined']);
  });

  it.each([
    ['a page of a proxy', 401, 'text/html', '<h1>401</h1>'],
    ["another gateway's JSON", 401, 'application/json', '{"code":401,"message":"Unauthorized"}'],
    ['a lost lease', 503, 'application/json', '{"code":503,"msg":"later"}'],
    ['a wrong password', 200, 'application/json', '{"code":400,"msg":"wrong"}'],
    ['another site', 200, 'application/json', '{"code":401,"msg":"no"}'],
  ])('does not fire for %s, and the token stays', async (what, status, type, body) => {
    const headers = {
      'content-type': type,
      ...(what === 'another site' && { 'x-auth-reason': 'cross_site' }),
    };
    respond = (_request, response) => response.writeHead(status, headers).end(body);
    const client = connect('t1');
    await failureOf(client.getInfo());
    expect(events).toEqual([]);
    expect(client.tokenStore.get()).toBe('t1');
  });
});

it('reports every refusal for a missing permission, and keeps the token', async () => {
  respond = (_request, response) => refuse(response, 'permission_denied');
  const client = connect('t1');
  const failures = [await failureOf(client.listKeys()), await failureOf(client.tailLoginLogs().next())];
  expect(failures.map(({ kind }) => kind)).toEqual(['not_allowed', 'not_allowed']);
  expect(events).toEqual(['not allowed: no', 'not allowed: no']);
  expect(client.tokenStore.get()).toBe('t1');
});

describe('the token', () => {
  it('is kept by login, sent in the header of every later call, and never in a URL', async () => {
    const seen: IncomingMessage[] = [];
    respond = (request, response) => {
      seen.push(request);
      answer(response, {
        code: 200,
        token: 't9',
        expire: '2026-01-01T00:00:00Z',
        msg: '',
        data: {},
        requestId: 'r',
      });
    };
    const client = createClient({ baseUrl: `${baseUrl}/` });
    await client.login({ body: { username: 'ada', password: 'p' } });
    await client.listSessions({ query: { userId: 7 } });
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /api/v1/login',
      'GET /api/v1/sessions?userId=7',
    ]);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Bearer t9']);
  });

  it.each([{}, { token: 7 }, { token: '' }])('is not taken from a login that answers %j', async (content) => {
    respond = (_request, response) => answer(response, { code: 200, ...content });
    const client = connect();
    const failure = await failureOf(client.login({ body: { username: 'ada', password: 'p' } }));
    expect(failure.kind).toBe('not_understood');
    expect(client.tokenStore.get()).toBeUndefined();
  });
});

describe('no answer', () => {
  it('reports a refused connection as a network failure', async () => {
    const failure = await failureOf(createClient({ baseUrl: 'http://127.0.0.1:1' }).getInfo());
    expect(failure).toMatchObject({
      name: 'ClientError',
      kind: 'network',
      status: undefined,
      msg: undefined,
    });
    expect(failure.cause).toBeInstanceOf(TypeError);
  });

  it.each(['before', 'in the middle of'] as const)(
    'a line that is cut %s it is a network failure',
    async (when) => {
      respond = (_request, response) => {
        if (when === 'before') response.destroy();
        else
          response
            .writeHead(200, { 'content-length': '100' })
            .write('{"code":200,', () => response.destroy());
      };
      expect(await failureOf(connect('t1').getInfo())).toMatchObject({ kind: 'network' });
      expect(events).toEqual([]);
    },
  );

  it('a redirect is not followed', async () => {
    const asked: unknown[] = [];
    respond = ({ url }, response) => {
      asked.push(url);
      response.writeHead(307, { location: `${baseUrl}/elsewhere` }).end();
    };
    const failure = await failureOf(connect().login({ body: { username: 'ada', password: 'p' } }));
    expect(failure.kind).toBe('network');
    expect(asked).toEqual(['/api/v1/login']);
  });

  it.each(['before it is sent', 'while it is under way', 'while its body comes'])(
    'a call is aborted %s',
    async (when) => {
      const stop = new AbortController();
      if (when === 'before it is sent') stop.abort();
      respond = (_request, response) => {
        if (when === 'while its body comes') response.writeHead(200, { 'content-length': '100' }).write('{');
        setImmediate(() => stop.abort());
      };
      expect(await failureOf(connect('t1').getInfo({ signal: stop.signal }))).toMatchObject({
        kind: 'aborted',
      });
    },
  );
});

describe('a call with a limit', () => {
  it.each(['before its answer', 'in the middle of its answer'])('is given up %s', async (when) => {
    respond = (_request, response) => {
      if (when !== 'before its answer') response.writeHead(200, { 'content-length': '100' }).write('{');
    };
    const failure = await failureOf(connect('t1', { limitSeconds: 0.05 }).getInfo());
    expect(failure).toMatchObject({ kind: 'timed_out', msg: undefined });
    expect(events).toEqual([]);
  });

  it('returns aborted, not the limit, when the caller aborts it', async () => {
    const stop = new AbortController();
    respond = () => stop.abort();
    const call = connect('t1', { limitSeconds: 60 }).getInfo({ signal: stop.signal });
    expect(await failureOf(call)).toMatchObject({ kind: 'aborted' });
  });

  it('returns aborted for a call that was aborted before, also after the limit', async () => {
    const stop = new AbortController();
    stop.abort();
    const fetch: typeof globalThis.fetch = async (_url, request) => {
      const over = Promise.withResolvers<void>();
      // The call waits for the end of its time alone.
      setTimeout(over.resolve, 100);
      await over.promise;
      throw request?.signal?.reason;
    };
    const call = connect('t1', { limitSeconds: 0.01, fetch }).getInfo({ signal: stop.signal });
    expect(await failureOf(call)).toMatchObject({ kind: 'aborted' });
  });

  it('that opens a stream limits the wait for its beginning, and not the stream', async () => {
    const ended = Promise.withResolvers<void>();
    respond = async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' }).write('a,b\n');
      await ended.promise;
      response.end('1,2\n');
    };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const response = await connect('t1', { limitSeconds: 60 }).exportLoginLogs();
      vi.advanceTimersByTime(120_000);
      ended.resolve();
      expect(await response.text()).toBe('a,b\n1,2\n');
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a stream', () => {
  it.each(['text/html', 'application/json', undefined])('is not one where the type is %s', async (type) => {
    respond = (_request, response) =>
      response
        .writeHead(200, type === undefined ? {} : { 'content-type': type })
        .end('{"code":200,"msg":"","data":1}');
    expect(await failureOf(connect('t1').exportLoginLogs())).toMatchObject({ kind: 'not_understood' });
    expect(await failureOf(connect('t1').tailLoginLogs().next())).toMatchObject({ kind: 'not_understood' });
  });

  it('is not one where the status is no success', async () => {
    respond = (_request, response) => response.writeHead(502, { 'content-type': 'text/csv' }).end('a,b');
    expect(await failureOf(connect('t1').exportLoginLogs())).toMatchObject({
      kind: 'not_understood',
      status: 502,
    });
  });
});

it('asks for messages in the language of the moment', async () => {
  const asked: unknown[] = [];
  let language: 'en' | 'zh' = 'en';
  respond = ({ headers }, response) => {
    asked.push(headers['accept-language']);
    success(response);
  };
  const client = connect('t1', { language: () => language });
  await client.getInfo();
  language = 'zh';
  await client.getInfo();
  expect(asked).toEqual(['en', 'zh']);
});
