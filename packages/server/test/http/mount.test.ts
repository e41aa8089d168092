import {
  AppError,
  type Call,
  dataReply,
  defineEndpoint,
  type Endpoint,
  type ErrorKind,
  type Route,
  reply,
  route,
} from '@portcullis/contract';
import { type Check, createPipeline } from '@portcullis/gate';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { Type } from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { CallerChanged } from '../../src/cluster/caller-at-commit.ts';
import { createHttpApp } from '../../src/http/create-http-app.ts';
import { mount } from '../../src/http/mount.ts';

const pass: Check = () => {};
const openEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/orders/:id',
  access: 'public',
  title: 'Change an order',
  params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
  query: Type.Object({ dry: Type.Optional(Type.Boolean()) }),
  body: Type.Object({ count: Type.Integer() }),
  bodyLimitBytes: 100,
  reply: dataReply(Type.Object({ id: Type.Integer(), dry: Type.Boolean(), count: Type.Integer() })),
});
const guardedEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/guarded',
  access: 'permission',
  title: 'Guarded',
  reply: dataReply(Type.Null()),
});

let app: FastifyInstance;
afterEach(() => app.close());

const faults: unknown[] = [];
async function send(routes: readonly Route[], request: InjectOptions, permit = pass) {
  faults.length = 0;
  let count = 0;
  app = createHttpApp({
    createRequestId: () => {
      count += 1;
      return `request-${count}`;
    },
    reportFault: (cause) => faults.push(cause),
    isDraining: () => false,
  });
  mount(
    app,
    routes,
    createPipeline({
      limit: pass,
      leased: pass,
      limitCaller: pass,
      identify: pass,
      site: pass,
      passwordDue: pass,
      permit,
    }),
    {
      revision: { n: 1, mark: '' },
      generation: 1,
      isLive: () => true,
    },
  );
  return await app.inject(request);
}

const changeOrder = route(openEndpoint, ({ params, query, body }) => ({
  data: { id: params.id, dry: query.dry ?? false, count: body.count },
}));
const order = { method: 'POST', url: '/api/v1/orders/7', payload: { count: 2 } } as const;

describe('a request', () => {
  // biome-ignore format: One row a request.
  const refused: [string, InjectOptions, ErrorKind, number, number][] = [
    ['a parameter of the wrong type',  { ...order, url: '/api/v1/orders/x' },                 'params_invalid',     200, 400],
    ['a parameter out of bounds',      { ...order, url: '/api/v1/orders/0' },                 'params_invalid',     200, 400],
    ['a query of the wrong type',      { ...order, url: '/api/v1/orders/7?dry=maybe' },       'params_invalid',     200, 400],
    ['a body of the wrong type',       { ...order, payload: { count: '2' } },                 'params_invalid',     200, 400],
    ['no body',                        { method: 'POST', url: '/api/v1/orders/7' },           'params_invalid',     200, 400],
    ['a broken body',                  { ...order, payload: '{', headers: { 'content-type': 'application/json' } }, 'params_invalid', 200, 400],
    ['a body with a constructor',      { ...order, payload: '{"constructor":{"prototype":{"a":1}},"count":2}', headers: { 'content-type': 'application/json' } }, 'params_invalid', 200, 400],
    ['a poisoned body',                { ...order, payload: '{"__proto__":{},"count":2}', headers: { 'content-type': 'application/json' } }, 'params_invalid', 200, 400],
    ['a body beyond the limit',        { ...order, payload: { count: 2, x: 'x'.repeat(100) } }, 'body_too_large',   413, 413],
    ['another content type',           { ...order, payload: 'count=2', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 'content_type_wrong', 415, 415],
    ['another method',                 { ...order, method: 'DELETE' },                        'route_not_found',    404, 404],
    ['another path',                   { ...order, url: '/api/v1/canary' },                   'route_not_found',    404, 404],
    ['another case',                   { ...order, url: '/API/v1/orders/7' },                 'route_not_found',    404, 404],
  ];

  it.each(refused)(
    'with %s is refused with our envelope and without an echo',
    async (_what, request, kind, status, code) => {
      const response = await send([changeOrder], request);
      expect(response.statusCode).toBe(status);
      expect(response.json()).toEqual({ code, msg: expect.any(String) });
      expect(response.body).not.toContain('canary');
      expect(response.headers['x-auth-reason']).toBe(kind === 'params_invalid' ? kind : undefined);
      expect(response.headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-request-id': 'request-1',
        'content-type': 'application/json; charset=utf-8',
      });
      expect(faults).toEqual([]);
    },
  );

  it('by HEAD or OPTIONS finds nothing, not even for a known path', async () => {
    for (const method of ['HEAD', 'OPTIONS'] as const) {
      const response = await send([route(guardedEndpoint, () => ({ data: null }))], {
        method,
        url: '/api/v1/guarded',
      });
      expect(response.statusCode).toBe(404);
      await app.close();
    }
  });

  it('reaches the handler with typed parts when it is valid', async () => {
    const response = await send([changeOrder], { ...order, url: '/api/v1/orders/7?dry=true' });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      code: 200,
      msg: 'success',
      data: { id: 7, dry: true, count: 2 },
      requestId: 'request-1',
    });
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', 'x-request-id': 'request-1' });
  });

  it('is answered in the language that it asks for', async () => {
    const headers = { 'accept-language': 'zh-CN' };
    expect((await send([changeOrder], { ...order, headers })).json().msg).toBe('操作成功');
    await app.close();
    expect((await send([], { ...order, headers })).json().msg).toBe('地址不存在。');
  });
});

describe('a handler', () => {
  const failing = (thrown: unknown) =>
    route(guardedEndpoint, () => {
      throw thrown;
    });
  const get = { method: 'GET', url: '/api/v1/guarded' } as const;

  it('never starts when a check refuses', async () => {
    let started = 0;
    const counting = route(guardedEndpoint, () => {
      started += 1;
      return { data: null };
    });
    const response = await send([counting], get, () => {
      throw new AppError('permission_denied');
    });
    expect(response.json().code).toBe(401);
    expect(started).toBe(0);
  });

  async function expectSilence(thrown: unknown): Promise<void> {
    const response = await send([failing(thrown)], get);
    expect(response.statusCode).toBe(500);
    expect(response.json()).toEqual({ code: 500, msg: 'Something went wrong on our side.' });
    expect(faults).toHaveLength(1);
  }

  it.each([
    ['an error', new Error('canary')],
    ['a text', 'canary'],
    ['a number', 7],
    ['an object', {}],
  ])('that throws %s answers 500 without details', async (_what, thrown) => {
    await expectSilence(thrown);
  });

  it.each([undefined, null])('that throws %s answers 500 without details', async (thrown) => {
    await expectSilence(thrown);
  });

  it('that throws on purpose is answered from the error table', async () => {
    const response = await send([failing(new AppError('conflict'))], get);
    expect([response.statusCode, response.json().code]).toEqual([200, 409]);
    expect(faults).toEqual([]);
  });

  it('whose reply does not fit its schema answers 500', async () => {
    const wrong = route(openEndpoint as Endpoint, (() => ({ data: { id: 'canary' } })) as never);
    const response = await send([wrong], order);
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain('canary');
  });

  it('cannot send a field that its schema does not have', async () => {
    const chatty = route(openEndpoint, () => {
      const order = { id: 7, dry: false, count: 2, passwordHash: 'canary' };
      return { data: order };
    });
    expect((await send([chatty], order)).body).not.toContain('canary');
  });
});

describe('a call', () => {
  const endpoint = defineEndpoint({
    method: 'GET',
    path: '/api/v1/address',
    access: 'public',
    title: 'Address',
    reply: dataReply(Type.String()),
  });
  const headers = { 'x-forwarded-for': '198.51.100.1', 'x-real-ip': '198.51.100.2' };

  it.each([
    ['the peer, where no proxy is trusted', [], '127.0.0.1'],
    ['the client that a trusted proxy names', ['127.0.0.0/8'], '198.51.100.1'],
  ])('comes from %s', async (_who, trustedProxies, address) => {
    app = createHttpApp({
      createRequestId: () => 'request-1',
      reportFault: () => {},
      isDraining: () => false,
      trustedProxies,
    });
    const limited: string[] = [];
    const limit: Check<{ ip: string }> = ({ ip }) => void limited.push(ip);
    mount(
      app,
      [route(endpoint, ({ ip }) => ({ data: ip }))],
      createPipeline({
        limit,
        leased: pass,
        limitCaller: pass,
        identify: pass,
        site: pass,
        passwordDue: pass,
        permit: pass,
      }),
      { revision: { n: 1, mark: '' }, generation: 1, isLive: () => true },
    );
    const response = await app.inject({ method: 'GET', url: '/api/v1/address', headers });
    expect([response.json().data, limited]).toEqual([address, [address]]);
  });
});

describe('a request whose caller changes while it is handled', () => {
  const endpoint = defineEndpoint({
    method: 'POST',
    path: '/api/v1/write',
    access: 'permission',
    title: 'Write',
    reply: reply({ data: Type.Integer() }),
  });

  /** Its writes find the caller changed, one time after the other, by revision 2, 3 and so on. */
  async function write({ changes, isPermitted = () => true, isLive = () => true }: WriteOptions) {
    app = createHttpApp({
      createRequestId: () => 'request-1',
      reportFault: () => {},
      isDraining: () => false,
    });
    let tries = 0;
    const memory = { revision: { n: 1, mark: '' }, generation: 1, isLive };
    const permit = () => {
      if (!isPermitted(memory.revision.n)) throw new AppError('permission_denied');
    };
    const handle = async (call: Call<typeof endpoint>) => {
      tries += 1;
      call.setHeader('x-try', String(tries));
      if (tries > changes) return { data: Number((call.confirmedAt as { n: number }).n) };
      // Memory follows in its own time.
      setTimeout(() => {
        memory.revision = { n: memory.revision.n + 1, mark: '' };
        memory.generation += 1;
      }, 1);
      throw new CallerChanged(memory.revision.n + 1);
    };
    mount(
      app,
      [route(endpoint, handle)],
      createPipeline({
        limit: pass,
        leased: pass,
        limitCaller: pass,
        identify: pass,
        site: pass,
        passwordDue: pass,
        permit,
      }),
      memory,
    );
    const response = await app.inject({ method: 'POST', url: '/api/v1/write' });
    const { code, data } = response.json();
    return {
      tries,
      code,
      data,
      header: response.headers['x-try'],
      reason: response.headers['x-auth-reason'],
    };
  }
  interface WriteOptions {
    readonly changes: number;
    readonly isPermitted?: (revision: number) => boolean;
    readonly isLive?: () => boolean;
  }

  it('is refused where the caller may not any more, and not handled again', async () => {
    const isPermitted = (revision: number) => revision < 2;
    expect(await write({ changes: 1, isPermitted })).toMatchObject({
      tries: 1,
      reason: 'permission_denied',
    });
  });

  it('is refused where there is no lease any more', async () => {
    let asked = 0;
    const isLive = () => {
      asked += 1;
      return asked === 1;
    };
    expect(await write({ changes: 1, isLive })).toMatchObject({ tries: 1, code: 503 });
  });

  it('is refused at the fourth time', async () => {
    expect(await write({ changes: 4 })).toMatchObject({ tries: 4, code: 503 });
  });

  it('is handled again under the newest revision where the caller still may, and answered once', async () => {
    expect(await write({ changes: 3 })).toMatchObject({ tries: 4, code: 200, data: 4, header: '4' });
  });
});

describe('a listener for answers', () => {
  it('receives every answer with its state, and undefined for a request that never reached the handler', async () => {
    const told: unknown[] = [];
    const endpoint = defineEndpoint({
      method: 'POST',
      path: '/api/v1/told',
      access: 'public',
      title: 'Told',
      body: Type.Object({ name: Type.String() }),
      reply: reply({}),
    });
    const listening = route(endpoint, {
      begin: ({ body }) => ({ begunWith: body.name }),
      handle: ({ body }, { begunWith }) => {
        expect(begunWith).toBe(body.name);
        if (body.name === 'throw') throw new AppError('credentials_wrong');
        return {};
      },
      onAnswer: (call, state, failure) => {
        const name = (call.body as { name?: unknown } | undefined)?.name;
        told.push([name, state?.begunWith, failure]);
      },
    });
    for (const name of ['mei', 'throw', 7]) {
      await send([listening], { method: 'POST', url: '/api/v1/told', payload: { name } });
      await app.close();
    }
    await send([listening], {
      method: 'POST',
      url: '/api/v1/told',
      payload: 'x',
      headers: { 'content-type': 'text/x' },
    });
    expect(told).toEqual([
      ['mei', 'mei', undefined],
      ['throw', 'throw', 'credentials_wrong'],
      [7, undefined, 'params_invalid'],
      [undefined, undefined, 'content_type_wrong'],
    ]);
  });

  it('that throws shows nothing of why', async () => {
    const broken: Route = {
      ...changeOrder,
      onAnswer() {
        throw new Error('The ledger is torn.');
      },
    };
    const { statusCode, body } = await send([broken], { ...order, payload: { count: 'two' } });
    expect(statusCode).toBe(500);
    expect(body).not.toContain('ledger');
  });

  const settingCookie = (onAnswer: (failure: ErrorKind | undefined) => void | Promise<void>) =>
    route(openEndpoint, {
      begin: () => ({}),
      handle: (call) => {
        call.setHeader('set-cookie', 'jwt=canary');
        return { data: { id: call.params.id, dry: false, count: call.body.count } };
      },
      onAnswer: (_call, _state, failure) => onAnswer(failure),
    });

  it.each([
    ['on purpose', new AppError('unavailable'), 503],
    ['by a fault', new Error('The ledger is torn.'), 500],
  ])(
    'and refuses a success %s turns it into that error, without what the handler set',
    async (_how, cause, status) => {
      const told: unknown[] = [];
      const refusing = settingCookie(async (failure) => {
        told.push(failure);
        throw cause;
      });
      const { statusCode, body, headers } = await send([refusing], order);
      expect([statusCode, JSON.parse(body).code]).toEqual([status, status]);
      expect(headers).not.toHaveProperty('set-cookie');
      expect(body).not.toContain('ledger');
      expect(told).toEqual([undefined, status === 503 ? 'unavailable' : 'internal']);
    },
  );

  it('rejects, and the answer stays as it is', async () => {
    const refusing = settingCookie(() => Promise.reject(new AppError('unavailable')));
    const { statusCode, body } = await send([refusing], { ...order, payload: { count: 'two' } });
    expect([statusCode, JSON.parse(body).code]).toEqual([200, 400]);
  });

  it.each([
    ['a success', 2, 200],
    ['a failure', 'two', 400],
  ])('delays %s until its promise resolves', async (_what, count, code) => {
    const kept = Promise.withResolvers<void>();
    let isAnswered = false;
    const listened = Promise.withResolvers<void>();
    const waiting = settingCookie(() => {
      listened.resolve();
      return kept.promise;
    });
    const answer = send([waiting], { ...order, payload: { count } }).finally(() => {
      isAnswered = true;
    });
    await listened.promise;
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAnswered).toBe(false);
    kept.resolve();
    const { headers, body } = await answer;
    expect(JSON.parse(body).code).toBe(code);
    expect(headers['set-cookie']).toBe(code === 200 ? 'jwt=canary' : undefined);
  });
});
