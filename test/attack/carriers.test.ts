// Threats, 1.2: how a token is carried, and where it may leak. Every answer of this file is kept for T18.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Carrier, carriers, present } from '../rig/carriers.ts';
import type { Answer, Request } from '../rig/http-client.ts';
import { type Service, startService } from '../rig/start-service.ts';
import { authorizationForms } from './carriers/authorization-forms.ts';
import { dumpDatabase } from './carriers/dump-database.ts';
import { productPatience, size } from './size.ts';

type Kept = Pick<Answer, 'status' | 'headers' | 'text' | 'body'>;

let service: Service;
const answers: { readonly what: string; readonly answer: Kept }[] = [];

async function send(request: Request): Promise<Answer> {
  const answer = await service.send(request);
  answers.push({ what: `${request.method ?? 'GET'} ${request.path.slice(0, 80)}`, answer });
  return answer;
}
async function sendBytes(bytes: string | Buffer): Promise<Kept> {
  const answer = await service.raw(bytes);
  answers.push({ what: JSON.stringify(bytes.toString('latin1').slice(0, 80)), answer });
  return answer;
}
/** Sends it and sees whether a handler was entered. */
async function outcomeOf(request: Request): Promise<string> {
  const before = await service.countEntries();
  const { status, headers, body } = await send(request);
  const entered = (await service.countEntries()) - before;
  if (body.code === 200 && entered === 1)
    return String((body.data as { username?: string }).username ?? 'passed');
  expect(entered, 'handlers entered').toBe(0);
  expect(status === 404 || status === 400 || body.code === 401, `${status} ${body.code}`).toBe(true);
  return String(headers['x-auth-reason'] ?? status);
}

beforeAll(async () => {
  service = await startService({
    mode: 'prod',
    settings: {
      ...productPatience,
      LOGGER_LEVEL: 'trace',
      APPLICATION_ALLOWED_ORIGINS: '["https://good.example"]',
    },
  });
});
afterAll(() => service.stop());

const orders: Request = { path: '/api/v1/orders' };
const context: Request = { path: '/api/v1/context' };

describe('T17: tokens in the query', () => {
  const canaries = new Set<string>();
  const canaryLength = 24;
  function canary(): string {
    const parts = Array.from({ length: 3 }, () => randomBytes(canaryLength / 2).toString('hex'));
    for (const part of parts) canaries.add(part);
    return `eyJ${parts.join('.')}`;
  }
  /** Looks at every place where one could stand: there are too many to search for one after the other. */
  function findCanaries(text: string): string[] {
    return [...text.matchAll(/[0-9a-f]{24,}/g)].flatMap(([run]) =>
      Array.from(run, (_, at) => run.slice(at, at + canaryLength)).filter((part) => canaries.has(part)),
    );
  }
  const post = (path: string, text: string, type = 'application/json') =>
    send({ method: 'POST', path, text, headers: { 'content-type': type } });

  /** One request of every outcome, each with a separate token. */
  async function sendRound(token: string): Promise<void> {
    await send({ path: `/api/v1/greeting?token=${canary()}` });
    await send({ path: `/api/v1/orders?token=${canary()}` });
    await send({ path: `/api/v1/nothing?token=${canary()}` });
    await send({ path: `/api/v1/${canary()}` });
    await send({ path: `/api/v1//orders?token=${canary()}` });
    await post(`/api/v1/login?token=${canary()}`, '{}');
    await post(`/api/v1/login?token=${canary()}`, `{"password":"${canary()}`);
    await post(`/api/v1/login?token=${canary()}`, JSON.stringify({ token: canary(), x: 'x'.repeat(20_000) }));
    await post(`/api/v1/login?token=${canary()}`, `token=${canary()}`, 'application/x-www-form-urlencoded');
    await post(`/api/v1/faults?token=${token}&again=${canary()}`, JSON.stringify({ token: canary() }));
    await send({ path: `/api/v1/orders?token=${canary()}&x=${'x'.repeat(9000)}` });
    await sendBytes(`GET /api/v1/\x01?token=${canary()} HTTP/1.1\r\nHost: rig\r\n\r\n`);
    await sendBytes(
      `GET /api/v1/orders?token=${canary()} HTTP/1.1\r\nHost: rig\r\nHost: ${canary()}\r\n\r\n`,
    );
    await sendBytes(
      `GET /api/v1/orders?token=${canary()}${'x'.repeat(20_000)} HTTP/1.1\r\nHost: rig\r\n\r\n`,
    );
    await sendBytes(`${canary()}\r\n\r\n`);
  }

  it('T17: are in no line of the process log, no row of the database and no answer', async () => {
    const token = await service.tokenOf('carl');
    for (let sent = 0; sent < size({ small: 300, full: 10_000 }); sent += 15) await sendRound(token);
    await outcomeOf(present(token, 'query', orders));
    const { output } = service.server.process;
    const stored = await dumpDatabase(service.database);
    // The search would find what is there: the fault of /faults, and carl's login.
    expect(output).toContain('The ledger is torn.');
    expect(JSON.stringify([...stored])).toContain('carl');
    const told = answers.map(({ answer }) => JSON.stringify(answer.headers) + answer.text).join('\n');
    const everything = [output, told, ...stored.values()].join('\n');
    const [, claims = '', signature = ''] = token.split('.');
    expect(findCanaries(everything)).toEqual([]);
    expect(findCanaries(`x${canary()}x`)).toHaveLength(3);
    for (const part of [claims, signature]) expect(everything.includes(part)).toBe(false);
    expect(canaries.size).toBeGreaterThan(1000);
  });
});

describe('T19: of several carriers', () => {
  const states = ['absent', 'invalid', 'valid'] as const;
  const users = { header: 'carl', query: 'ada', cookie: 'bela' } as const;
  const matrix = states.flatMap((header) =>
    states.flatMap((query) => states.map((cookie) => ({ header, query, cookie }))),
  );

  it.each(matrix)(
    'T19: (header $header, query $query, cookie $cookie) the first that is present decides, and never falls through',
    async (given) => {
      let request = context;
      for (const carrier of carriers)
        if (given[carrier] !== 'absent') {
          const isValid = given[carrier] === 'valid';
          request = present(isValid ? await service.tokenOf(users[carrier]) : 'a.b.c', carrier, request);
        }
      const first: Carrier | undefined = carriers.find((carrier) => given[carrier] !== 'absent');
      const expected =
        first === undefined
          ? 'token_missing'
          : { absent: '', invalid: 'token_malformed', valid: users[first] }[given[first]];
      expect(await outcomeOf(request)).toBe(expected);
    },
  );

  it('T19: two of one carrier are refused, whether or not they agree', async () => {
    const [carl, ada] = [await service.tokenOf('carl'), await service.tokenOf('ada')];
    const before = await service.countEntries();
    for (const [one, two] of [
      [carl, ada],
      [carl, carl],
      [carl, ''],
      ['', carl],
      [carl, 'a.b.c'],
    ]) {
      expect(await outcomeOf({ path: `/api/v1/context?token=${one}&token=${two}` })).toBe('token_malformed');
      for (const between of ['; ', ';', '; a=b; '])
        expect(await outcomeOf({ ...context, headers: { cookie: `jwt=${one}${between}jwt=${two}` } })).toBe(
          'token_malformed',
        );
      for (const [name, values] of Object.entries({
        Authorization: [`Bearer ${one}`, `Bearer ${two}`],
        Cookie: [`jwt=${one}`, `jwt=${two}`],
      })) {
        const lines = values
          .map((value, index) => `${index === 0 ? name : name.toLowerCase()}: ${value}\r\n`)
          .join('');
        const { headers } = await sendBytes(`GET /api/v1/context HTTP/1.1\r\nHost: rig\r\n${lines}\r\n`);
        expect(headers['x-auth-reason']).toBe('token_malformed');
      }
    }
    expect(await service.countEntries()).toBe(before);
  });
});

describe('T20: the header Authorization', () => {
  it.each(authorizationForms)('T20: spelt as $name is $expected', async ({ form, expected }) => {
    const token = await service.tokenOf('carl');
    const before = await service.countEntries();
    const line = Buffer.from(`Authorization:${form.replaceAll('TOKEN', token)}\r\n`, 'latin1');
    const head = Buffer.from('GET /api/v1/context HTTP/1.1\r\nHost: rig\r\n');
    const { status, headers } = await sendBytes(Buffer.concat([head, line, Buffer.from('\r\n')]));
    expect(status === 400 ? 'not HTTP' : (headers['x-auth-reason'] ?? 'taken')).toBe(expected);
    expect((await service.countEntries()) - before).toBe(expected === 'taken' ? 1 : 0);
  });
});

describe('T24: a cookie that another site has set', () => {
  it('T24: beside ours is refused, in any position and with any value', async () => {
    const token = await service.tokenOf('carl');
    for (const tossed of ['', 'a.b.c', token, await service.tokenOf('gina'), 'x'.repeat(5000)])
      for (const cookie of [`jwt=${tossed}; jwt=${token}`, `jwt=${token}; jwt=${tossed}`])
        expect(await outcomeOf({ ...context, headers: { cookie } })).toBe('token_malformed');
  });

  it('T24: that is overlong is refused, and the service stays up', async () => {
    const token = await service.tokenOf('carl');
    for (const [length, expected] of [
      [4097, 'token_malformed'],
      [8192, 'token_malformed'],
      [15_000, 'token_malformed'],
      [17_000, '400'],
      [200_000, '400'],
    ] as const) {
      const cookie = `jwt=${token}${'A'.repeat(length - token.length)}`;
      const { status, headers } = await sendBytes(
        `GET /api/v1/context HTTP/1.1\r\nHost: rig\r\nCookie: ${cookie}\r\n\r\n`,
      );
      expect(headers['x-auth-reason'] ?? String(status), String(length)).toBe(expected);
    }
    expect(await outcomeOf(present(token, 'cookie', context))).toBe('carl');
  });
});

describe('T26: a path that looks like a file to a cache', () => {
  const suffixes = [
    '/x.css',
    '/x.js',
    '.css',
    ';.css',
    '%0a.css',
    '%00.css',
    '%3b.css',
    '%23.css',
    '%3f.css',
    '/..%2fx.css',
    '/%2e%2e/x.css',
    '/../x.css',
    '//x.css',
    '/.css',
    '/x.png',
    '/index.html',
    '?x.css#.css',
  ];

  it.each(['/api/v1/user/profile', '/api/v1/getinfo', '/api/v1/bulletins', '/api/v1/context'])(
    'T26: behind %s is not found and not stored, by every carrier',
    async (path) => {
      const token = await service.tokenOf('ada');
      const before = await service.countEntries();
      for (const suffix of suffixes)
        for (const carrier of carriers) {
          const { status, headers, text } = await send(present(token, carrier, { path: `${path}${suffix}` }));
          expect([status, text.includes('ada')], `${path}${suffix}`).toEqual([404, false]);
          expect(headers['cache-control']).toBe('no-store');
        }
      expect(await service.countEntries()).toBe(before);
    },
  );
});

describe('T18: every answer', () => {
  /** A login whose statement is cancelled: 503. */
  async function sendThroughAnAbsentStore(): Promise<void> {
    const captcha = await service.solvedCaptcha();
    const unlock = await service.database.lock('users');
    try {
      await send({
        method: 'POST',
        path: '/api/v1/login',
        body: { username: 'carl', password: 'x', ...captcha },
      });
    } finally {
      await unlock();
    }
  }

  it('T18: has no-store and no-referrer, whatever the answer', async () => {
    await sendThroughAnAbsentStore();
    const headers = { origin: 'https://good.example', 'access-control-request-method': 'GET' };
    await send({ ...orders, method: 'OPTIONS', headers });
    await send({ ...orders, method: 'OPTIONS' });
    await send({ ...orders, method: 'HEAD' });
    await sendBytes('CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    const outcomes = new Set(answers.map(({ answer }) => `${answer.status} ${answer.body.code}`));
    for (const outcome of [
      '200 200',
      '200 400',
      '200 401',
      '204 undefined',
      '400 400',
      '404 404',
      '413 413',
      '415 415',
      '500 500',
      '503 503',
    ])
      expect([...outcomes]).toContain(outcome);
    for (const { what, answer } of answers)
      expect(answer.headers, what).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.stringMatching(/\S/),
      });
    expect(answers.length).toBeGreaterThan(500);
  });
});
