import { Agent, type IncomingHttpHeaders, request as openRequest } from 'node:http';
import { AppError } from '@portcullis/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDecisionStandIn, previousSecret, secret, token } from './decision-stand-in.ts';
import { listening } from './listening.ts';

let draining = false;
const { listener, state } = createDecisionStandIn({ isDraining: () => draining });
const initial = { ...state };
let port: number;
beforeAll(async () => {
  port = await listening(listener);
});
afterAll(() => listener.close());
beforeEach(() => {
  Object.assign(state, { ...initial, generation: state.generation + 1 });
  state.faults.length = 0;
  state.misuses.length = 0;
});

interface Asked {
  readonly method?: string;
  readonly path?: string;
  /** Names and values in turn, in the order and as often as they are sent. */
  readonly headers: readonly string[];
  readonly body?: string;
  readonly agent?: Agent;
}
interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function send({ method = 'GET', path = '/forward-auth', headers, body, agent }: Asked): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const length = body === undefined ? [] : ['Content-Length', String(body.length)];
  const opened = openRequest({
    ...{ host: '127.0.0.1', port, method, path },
    headers: ['Host', 'decision', ...length, ...headers],
    ...(agent === undefined ? { agent: false } : { agent }),
  });
  opened
    .on('response', (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (part: string) => {
          text += part;
        })
        .on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    })
    .on('error', reject)
    .end(body);
  return promise;
}

const knows = ['X-Portcullis-Secret', secret];
const bearer = ['Authorization', `Bearer ${token}`];
const asks = (method: string, uri: string) => ['X-Forwarded-Method', method, 'X-Forwarded-Uri', uri];
const orders = asks('GET', '/api/v1/orders');
const allowed = [...knows, ...orders, ...bearer];

const identity = ({ headers }: Answered) =>
  Object.keys(headers).filter((name) => /^x-portcullis-(user|role|data)/.test(name));

/** A refusal: the status for the gateway, the body of the contract for the browser, and no header with the caller. */
function expectRefusal(
  answer: Answered,
  { native, reason, status, code }: { native: number; reason?: string; status: number; code: number },
): void {
  expect(answer.status).toBe(native);
  expect(answer.headers['x-auth-reason']).toBe(reason);
  expect(answer.headers['x-portcullis-status']).toBe(String(status));
  expect(answer.headers['x-portcullis-body']).toBe(answer.text);
  expect(JSON.parse(answer.text)).toEqual({ code, msg: expect.stringMatching(/./) });
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers['x-request-id']).toMatch(/^request-/);
  expect(identity(answer)).toEqual([]);
}
const unavailable = { native: 503, reason: 'unavailable', status: 503, code: 503 };
const malformed = { native: 401, reason: 'token_malformed', status: 200, code: 401 };
const missing = { native: 401, reason: 'token_missing', status: 200, code: 401 };
const denied = { native: 403, reason: 'permission_denied', status: 200, code: 401 };
const notFound = { native: 403, status: 404, code: 404 };

describe('a malformed gateway request gets 503 and no decision', () => {
  const rest = [...orders, ...bearer];
  it.each([
    ['no secret', rest],
    ['an empty secret', ['X-Portcullis-Secret', '', ...rest]],
    ['a wrong secret', ['X-Portcullis-Secret', `${secret.slice(0, -1)}x`, ...rest]],
    ['a part of the secret', ['X-Portcullis-Secret', secret.slice(0, -1), ...rest]],
    ['more than the secret', ['X-Portcullis-Secret', `${secret}x`, ...rest]],
    ['the secret twice', [...knows, ...knows, ...rest]],
    ['the secret and another one', [...knows, 'x-portcullis-secret', 'x', ...rest]],
    ['the secret as Authorization', ['Authorization', `Bearer ${secret}`, ...orders]],
    ['the secret under another spelling', ['X_Portcullis_Secret', secret, ...rest]],
    ['no method', [...knows, ...bearer, 'X-Forwarded-Uri', '/api/v1/orders']],
    ['no target', [...knows, ...bearer, 'X-Forwarded-Method', 'GET']],
    ['an empty method', [...knows, ...bearer, ...asks('', '/api/v1/orders')]],
    ['an empty target', [...knows, ...bearer, ...asks('GET', '')]],
    ['two methods', [...allowed, 'X-Forwarded-Method', 'GET']],
    ['three methods', [...allowed, 'X-Forwarded-Method', 'GET', 'X-FORWARDED-METHOD', 'GET']],
    ['two targets', [...allowed, 'x-forwarded-uri', '/api/v1/orders']],
    [
      'its words under other spellings',
      [...knows, ...bearer, 'X_Forwarded_Method', 'GET', 'X_Forwarded_Uri', '/api/v1/orders'],
    ],
    [
      'the words of other gateways',
      [...knows, ...bearer, 'X-Original-Method', 'GET', 'X-Original-URI', '/api/v1/orders'],
    ],
  ])('%s', async (_name, headers) => {
    expectRefusal(await send({ headers }), unavailable);
    expect(state.misuses).toHaveLength(1);
    expect(state.misuses[0]).not.toContain(secret);
  });

  it('a second secret behind more headers than Node keeps by default', async () => {
    const many = Array.from({ length: 2100 }, (_, index) => [`x${index}`, '1']).flat();
    expectRefusal(await send({ headers: [...allowed, ...many, 'X-Portcullis-Secret', 'x'] }), unavailable);
  });

  it('the secret in the target', async () => {
    expectRefusal(
      await send({ path: `/forward-auth?secret=${secret.replaceAll(' ', '+')}`, headers: rest }),
      unavailable,
    );
  });
});

describe('a request without a possible decision is refused with 503', () => {
  it('without a lease', async () => {
    state.isLive = false;
    expectRefusal(await send({ headers: allowed }), unavailable);
    expect(state.faults).toEqual([]);
  });

  const fault = new Error('A fault.');
  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw fault;
      },
    ],
    ['rejects', () => Promise.reject(fault)],
    [
      'throws no error',
      () => {
        throw 'text';
      },
    ],
    ['returns something', () => true],
    ['resolves with something', () => Promise.resolve('allow')],
    [
      'throws an internal error',
      () => {
        throw new AppError('internal');
      },
    ],
    [
      'throws a kind that is no refusal',
      () => {
        throw new AppError('rate_limited');
      },
    ],
  ])('a check that %s', async (_name, check) => {
    state.permit = check as typeof state.permit;
    expectRefusal(await send({ headers: allowed }), unavailable);
    expect(state.faults).toHaveLength(1);
  });

  it('a lease that ends while the token is verified', async () => {
    state.verify = async () => {
      state.isLive = false;
      return await initial.verify(token);
    };
    expectRefusal(await send({ headers: [...knows, ...orders, 'Authorization', 'Bearer new'] }), unavailable);
  });
});

describe('a request without a good token is refused with 401', () => {
  it.each([
    ['none at all', [], missing],
    ['another scheme', ['Authorization', 'Basic eDp5'], malformed],
    ['a wrong one', ['Authorization', 'Bearer x.y.z'], malformed],
    ['two in headers', [...bearer, ...bearer], malformed],
    [
      'a wrong one in the header and a good cookie',
      ['Authorization', 'Bearer x', 'Cookie', `jwt=${token}`],
      malformed,
    ],
    ['two cookies', ['Cookie', `jwt=${token}; jwt=${token}`], malformed],
    ['two Cookie headers', ['Cookie', `jwt=${token}`, 'Cookie', `jwt=${token}`], malformed],
    ['identity headers instead', ['X-Portcullis-User-Id', '1', 'X-Portcullis-Role-Key', 'admin'], missing],
    ['a cookie of another name', ['Cookie', `xjwt=${token}`], missing],
  ])('%s', async (_name, headers, refusal) => {
    expectRefusal(await send({ headers: [...knows, ...orders, ...headers] }), refusal);
    expect(state.misuses).toEqual([]);
  });

  it('two in the query', async () => {
    const uri = `/api/v1/orders?token=${token}&token=${token}`;
    expectRefusal(await send({ headers: [...knows, ...asks('GET', uri)] }), malformed);
  });

  it('in the query of the question instead of the request', async () => {
    expectRefusal(
      await send({ path: `/forward-auth?token=${token}`, headers: [...knows, ...orders] }),
      missing,
    );
  });

  it('revoked', async () => {
    state.isRevoked = true;
    expectRefusal(await send({ headers: allowed }), { ...malformed, reason: 'token_revoked' });
  });

  it('revoked while it was verified', async () => {
    state.verify = async () => {
      const verified = await initial.verify(token);
      queueMicrotask(() => Object.assign(state, { isRevoked: true, generation: state.generation + 1 }));
      return verified;
    };
    const { status } = await send({
      headers: [...knows, ...orders, 'Authorization', 'Bearer slow.to.verify'],
    });
    expect(status).toBe(401);
  });

  it('by the cookie, for a change that comes from another site', async () => {
    const headers = [...knows, ...asks('POST', '/api/v1/orders'), 'Cookie', `jwt=${token}`];
    expectRefusal(await send({ headers }), { ...malformed, reason: 'cross_site' });
  });
});

describe('a request that could be read in two ways is 403 for the gateway and 404 for the browser', () => {
  it.each([
    '//api/v1/orders',
    '/api/v1//orders',
    '/api/v1/./orders',
    '/api/v1/x/../orders',
    '/api/v1/orders/..',
    '/api/v1/%6frders',
    '/api/v1%2forders',
    '/api/v1/orders;x',
    '/api/v1/orders/',
    '/api/v1/orders#x',
    '/api/v1\\orders',
    'http://decision/api/v1/orders',
    'api/v1/orders',
    '*',
    `/api/v1/orders?${'x'.repeat(9000)}`,
    '/api/v1/ord\xe9rs',
  ])('%s', async (uri) => {
    expectRefusal(await send({ headers: [...knows, ...bearer, ...asks('GET', uri)] }), notFound);
  });

  it.each(['get', 'Get', 'GET ,POST', 'G\xc9T', '*', 'GET/'])('the method %j', async (method) => {
    expectRefusal(
      await send({ headers: [...knows, ...bearer, ...asks(method, '/api/v1/orders')] }),
      notFound,
    );
  });

  it('before the identity check', async () => {
    expectRefusal(await send({ headers: [...knows, ...asks('GET', '//')] }), notFound);
  });
});

describe('a role without the permission is refused with 403', () => {
  it.each([
    ['DELETE', '/api/v1/orders'],
    ['HEAD', '/api/v1/orders'],
    ['GET', '/api/v1/users'],
    ['TRACE', '/api/v1/orders'],
  ])('%s %s', async (method, uri) => {
    expectRefusal(await send({ headers: [...knows, ...bearer, ...asks(method, uri)] }), denied);
  });

  it('whatever overrides the client sends', async () => {
    const overrides = [
      'X-HTTP-Method-Override',
      'GET',
      'X-Original-URL',
      '/api/v1/orders',
      'X-Rewrite-URL',
      '/api/v1/orders',
    ];
    const headers = [...knows, ...bearer, ...asks('DELETE', '/api/v1/orders'), ...overrides];
    expectRefusal(await send({ headers }), denied);
  });

  it('in its own language, in ASCII', async () => {
    const { text } = await send({ headers: [...knows, ...orders, 'Accept-Language', 'zh-CN,zh;q=0.9'] });
    expect(text).toMatch(/^[ -~]+$/);
    expect(JSON.parse(text)).toEqual({ code: 401, msg: '您尚未登录，请登录后重试。' });
  });
});

describe('an allowed request', () => {
  it.each([
    ['the header', allowed],
    ['the query', [...knows, ...asks('GET', `/api/v1/orders?page=2&token=${token}`)]],
    ['the cookie', [...knows, ...orders, 'Cookie', `theme=dark; jwt=${token}`]],
    ['the previous secret', ['X-Portcullis-Secret', previousSecret, ...orders, ...bearer]],
  ])('by %s is answered with 200, no body and the caller', async (_name, headers) => {
    const answer = await send({ headers });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('');
    expect(answer.headers).toMatchObject({
      'x-portcullis-user-id': '7',
      'x-portcullis-username': 'mei%20%E6%A2%85',
      'x-portcullis-role-id': '2',
      'x-portcullis-role-key': 'editor',
      'x-portcullis-data-scope': '3',
      'cache-control': 'no-store',
      'content-length': '0',
    });
    expect(answer.headers['x-request-id']).toMatch(/^request-/);
    expect(answer.headers['x-auth-reason']).toBeUndefined();
  });

  it('carries the caller of the token, not the one in the client’s headers', async () => {
    const spoofed = ['X-Portcullis-User-Id', '1', 'X-Portcullis-Role-Key', 'admin', 'X-Request-Id', 'x'];
    const answer = await send({ headers: [...allowed, ...spoofed] });
    expect(answer.headers).toMatchObject({ 'x-portcullis-user-id': '7', 'x-portcullis-role-key': 'editor' });
    expect(answer.headers['x-request-id']).not.toBe('x');
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])(
    'may be asked about with %s',
    async (method) => {
      const answer = await send({ method, headers: allowed });
      expect([answer.status, answer.text, answer.headers['x-portcullis-user-id']]).toEqual([200, '', '7']);
    },
  );

  it('may have headers as long as gateways let them through', async () => {
    const cookie = Array.from({ length: 40 }, (_, index) => `c${index}=${'x'.repeat(1000)}`).join('; ');
    expect((await send({ headers: [...allowed, 'Cookie', cookie] })).status).toBe(200);
  });
});

describe('the connection', () => {
  it('stays open, also after a refusal, a HEAD and an unread body', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    agent.on('free', (socket) => sockets.add(socket));
    const answers = [
      await send({ agent, headers: allowed }),
      await send({ agent, headers: [...knows, ...orders] }),
      await send({ agent, method: 'HEAD', headers: [...knows, ...orders] }),
      await send({ agent, method: 'POST', headers: allowed, body: 'x'.repeat(200_000) }),
      await send({ agent, headers: [] }),
      await send({ agent, headers: allowed }),
    ];
    agent.destroy();
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401, 200, 503, 200]);
    expect(answers.map(({ headers }) => headers['keep-alive'])).toEqual(Array(6).fill('timeout=75'));
    expect(sockets.size).toBe(1);
  });

  it('is answered like any other where a web socket is asked for', async () => {
    const upgrade = ['Connection', 'Upgrade', 'Upgrade', 'websocket', 'Sec-WebSocket-Version', '13'];
    expect((await send({ headers: [...allowed, ...upgrade] })).status).toBe(200);
    expectRefusal(await send({ headers: [...knows, ...orders, ...upgrade] }), missing);
  });

  it('is given up for headers that are too long', async () => {
    const answer = await send({ headers: [...allowed, 'X-Long', 'x'.repeat(70_000)] }).catch(() => undefined);
    expect(answer?.status ?? 431).toBe(431);
  });

  it('is not kept while the service drains', async () => {
    draining = true;
    const answer = await send({ headers: allowed });
    draining = false;
    expect([answer.status, answer.headers.connection]).toEqual([200, 'close']);
  });
});

describe('Envoy', () => {
  const headers = [...knows, ...bearer];

  it.each([
    ['POST', '/envoy-auth/api/v1/orders', denied],
    ['GET', '/envoy-auth/api/v1//orders', notFound],
    ['GET', '/envoy-auth', notFound],
    ['GET', '/envoy-auth/', notFound],
    ['GET', '/envoy-authapi/v1/orders', notFound],
    ['GET', '/envoy-auth/envoy-auth/api/v1/orders', denied],
  ])('receives the refusal of %s %s', async (method, path, refusal) => {
    expectRefusal(await send({ method, path, headers }), refusal);
  });

  it('receives 503 without the secret', async () => {
    expectRefusal(await send({ path: '/envoy-auth/api/v1/orders', headers: bearer }), unavailable);
  });

  it('does not decide by headers of its client', async () => {
    const path = '/envoy-auth/api/v1/users';
    expectRefusal(await send({ path, headers: [...headers, ...orders] }), denied);
  });

  it('asks with its own method and with what follows the prefix', async () => {
    const answer = await send({ path: '/envoy-auth/api/v1/orders/17?page=2', headers });
    expect([answer.status, answer.headers['x-portcullis-role-key']]).toEqual([200, 'editor']);
    const byQuery = await send({ path: `/envoy-auth/api/v1/orders?token=${token}`, headers: knows });
    expect(byQuery.status).toBe(200);
  });
});

describe('where go-admin’s front end is served', () => {
  const compatible = createDecisionStandIn({ permissionDeniedCode: 403 });
  afterAll(() => compatible.listener.close());

  it('a missing permission has code 403 in the body for the browser, and a missing token still 401', async () => {
    const usual = port;
    port = await listening(compatible.listener);
    try {
      const codeOf = async (headers: readonly string[]) =>
        JSON.parse(String((await send({ headers })).headers['x-portcullis-body'])).code;
      expect(await codeOf([...knows, ...asks('DELETE', '/api/v1/orders'), ...bearer])).toBe(403);
      expect(await codeOf([...knows, ...asks('DELETE', '/api/v1/orders')])).toBe(401);
    } finally {
      port = usual;
    }
  });
});
