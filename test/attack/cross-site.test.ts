// Threats, 1.2: calls that another site makes with the cookie of its visitor.
import { endpoints } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { type Carrier, present } from '../rig/carriers.ts';
import type { Answer, Request } from '../rig/http-client.ts';
import { businessService, startProcess } from '../rig/start-process.ts';
import { baseSettings } from '../rig/start-server.ts';
import { decodeToken } from '../rig/tokens.ts';
import { useService } from '../rig/use-service.ts';
import { dumpDatabase } from './carriers/dump-database.ts';
import { foreignOrigins, listedOrigin } from './carriers/origins.ts';

const service = useService({
  mode: 'prod',
  settings: { APPLICATION_ALLOWED_ORIGINS: JSON.stringify([listedOrigin]) },
});

const order = { item: 'chair', count: 1 };
const unsafe: Request[] = [
  { method: 'POST', path: '/api/v1/orders', body: order },
  { method: 'PUT', path: '/api/v1/orders/7', body: order },
  { method: 'DELETE', path: '/api/v1/orders/7' },
];
const sites = ['cross-site', 'same-site', 'same-origin', 'none', 'Same-Origin', undefined];
const origins = [
  'https://evil.example',
  'null',
  `${listedOrigin}.evil.com`,
  `${listedOrigin}:8443`,
  listedOrigin,
  undefined,
];
const requestedWiths = ['XMLHttpRequest', undefined];

interface Signs {
  readonly site: string | undefined;
  readonly origin: string | undefined;
  readonly requestedWith: string | undefined;
}
const signs: Signs[] = sites.flatMap((site) =>
  origins.flatMap((origin) => requestedWiths.map((requestedWith) => ({ site, origin, requestedWith }))),
);
const headersOf = ({ site, origin, requestedWith }: Signs) => ({
  ...(site === undefined ? {} : { 'sec-fetch-site': site }),
  ...(origin === undefined ? {} : { origin }),
  ...(requestedWith === undefined ? {} : { 'x-requested-with': requestedWith }),
});
const isOurs = ({ site, origin, requestedWith }: Signs) =>
  site === 'same-origin' ||
  site === 'none' ||
  origin === listedOrigin ||
  (site === undefined && requestedWith !== undefined);

async function sendAs(carrier: Carrier, request: Request, given: Signs): Promise<Answer> {
  const headers = headersOf(given);
  return await service().send(present(await service().tokenOf('ada'), carrier, { ...request, headers }));
}

describe('T21: a call that changes something', () => {
  it.each(unsafe)(
    'T21: ($method) by cookie passes only with a sign of our own front end, over the whole matrix',
    async (request) => {
      const before = await service().countEntries();
      for (const given of signs) {
        const { status, headers, body } = await sendAs('cookie', request, given);
        const outcome = [status, body.code, headers['x-auth-reason']];
        const expected = isOurs(given) ? [200, 200, undefined] : [200, 401, 'cross_site'];
        expect(outcome, JSON.stringify(given)).toEqual(expected);
        if (!isOurs(given)) expect(body).toStrictEqual({ code: 401, msg: expect.any(String) });
      }
      expect((await service().countEntries()) - before).toBe(signs.filter(isOurs).length);
    },
  );

  it.each(['header', 'query'] as const)('T21: by %s passes from any site', async (carrier) => {
    const before = await service().countEntries();
    for (const request of unsafe)
      for (const given of signs) expect((await sendAs(carrier, request, given)).body.code).toBe(200);
    expect((await service().countEntries()) - before).toBe(unsafe.length * signs.length);
  });

  it('T21: a cross-site logout by cookie ends no session', async () => {
    const token = String((await service().logIn('carl')).body.token);
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const logout: Request = { method: 'POST', path: '/api/v1/logout', headers };
    const { headers: answered } = await service().send(present(token, 'cookie', logout));
    expect([answered['x-auth-reason'], answered['set-cookie']]).toEqual(['cross_site', undefined]);
    const { body } = await service().send(present(token, 'header', { path: '/api/v1/context' }));
    expect(body.data).toMatchObject({ username: 'carl' });
  });

  it('T21: rejects a login by a form of another site, so that no visitor is logged in as another user', async () => {
    const credentials = JSON.stringify({ username: 'carl', password: 'x' });
    for (const type of [
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      '',
    ])
      for (const text of [credentials, `${credentials.slice(0, -1)},"x":"="}`]) {
        const headers = {
          'content-type': type,
          origin: 'https://evil.example',
          'sec-fetch-site': 'cross-site',
        };
        const answer = await service().send({ method: 'POST', path: '/api/v1/login', text, headers });
        expect([answer.status, answer.headers['set-cookie']], type).toEqual([415, undefined]);
      }
  });

  it('T21: sets a login cookie that other sites do not send', async () => {
    const { headers } = await service().logIn('carl');
    const [cookie = ''] = headers['set-cookie'] ?? [];
    for (const attribute of ['; Path=/', '; HttpOnly', '; SameSite=Strict', '; Secure'])
      expect(cookie).toContain(attribute);
    expect(cookie).not.toContain('Domain');
  });
});

describe('T22: a GET', () => {
  /** A GET may make a captcha; the others are written by the clock, and behind the back of a login. */
  const volatile = /^public\.(captchas|instances|exclusion_uses|login_log\w*|audit_log_heads)$/;
  const business = [
    '/api/v1/greeting',
    '/api/v1/orders',
    '/api/v1/orders/7',
    '/api/v1/reports/2026/11',
    '/api/v1/notices',
    '/api/v1/entries',
  ];
  /** What a route cannot do without. */
  const queries: Record<string, string> = {
    '/api/v1/explain': '?roleKey=admin&method=GET&path=/api/v1/orders',
    '/api/v1/routes/callers': '?method=GET&path=/api/v1/orders',
  };
  /** There is no provider and no webhook here, and a person has no keys. */
  const refused: Record<string, number> = {
    '/api/v1/providers/:id': 404,
    '/api/v1/providers/:id/mappings': 404,
    '/api/v1/users/:id/keys': 409,
    '/api/v1/webhooks/:id/deliveries': 404,
  };
  /** Without streams, which need not end; they write nothing either. */
  const ours = endpoints
    .filter((endpoint) => endpoint.method === 'GET' && !('stream' in endpoint))
    .map(({ path }) => ({
      path: path.replaceAll(':id', '1') + (queries[path] ?? ''),
      code: refused[path] ?? 200,
    }));

  async function stableContent(): Promise<Record<string, string>> {
    const tables = [...(await dumpDatabase(service().database))].filter(([name]) => !volatile.test(name));
    return Object.fromEntries(tables);
  }

  it('T22: changes no row on any route', async () => {
    const token = await service().tokenOf('ada');
    const before = await stableContent();
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining([
        'public.users',
        'public.roles',
        'public.rules',
        'public.keys',
        'public.revocations',
      ]),
    );
    for (const { path, code } of [...ours, ...business.map((known) => ({ path: known, code: 200 }))]) {
      const own = path.replace(':jti', String(decodeToken(token).claims.jti));
      const { status, body } = await service().send(present(token, 'cookie', { path: own }));
      // A file has no code.
      expect([status, body.code ?? 200], path).toEqual([200, code]);
    }
    expect(await stableContent()).toEqual(before);
    expect(ours.length).toBeGreaterThan(5);
  });

  it('T22: declares no body that could describe a change', () => {
    for (const endpoint of endpoints)
      if (endpoint.method === 'GET') expect('body' in endpoint, endpoint.path).toBe(false);
  });
});

describe('T23: an origin', () => {
  const corsHeaders = ({ headers }: Answer) =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'));
  const orders: Request = { path: '/api/v1/orders' };
  const preflight = (origin: string, path = orders.path): Request => ({
    method: 'OPTIONS',
    path,
    headers: { origin, 'access-control-request-method': 'POST' },
  });

  it('T23: that is not listed gets no CORS header, in at least forty spellings', async () => {
    expect(foreignOrigins.length).toBeGreaterThanOrEqual(40);
    for (const origin of foreignOrigins.map((text) => Buffer.from(text).toString('latin1'))) {
      const answer = await service().send({ ...orders, headers: { origin } });
      expect([corsHeaders(answer), answer.headers.vary], origin).toEqual([[], 'Origin']);
      const asked = await service().send(preflight(origin));
      expect([asked.status, corsHeaders(asked), asked.headers.vary], origin).toEqual([404, [], 'Origin']);
    }
  });

  it('T23: that is listed is echoed, and no other value is', async () => {
    const answer = await service().send({ ...orders, headers: { origin: listedOrigin } });
    const asked = await service().send(preflight(listedOrigin));
    for (const { headers } of [answer, asked])
      expect(headers).toMatchObject({
        'access-control-allow-origin': listedOrigin,
        'access-control-allow-credentials': 'true',
        vary: 'Origin',
      });
    expect([asked.status, asked.text]).toEqual([204, '']);
  });

  it('T23: that is listed gets no CORS header for a path without a route', async () => {
    for (const path of ['/api/v1/refresh_token', '/api/v1/nothing', '/api/v1/orders/7/8'])
      expect((await service().send(preflight(listedOrigin, path))).status, path).toBe(404);
  });

  it.each(['*', 'null', 'https://*.good.example', 'https://good.example/', 'good.example'])(
    'T23: written as %j refuses the start, before the database is asked',
    async (origin) => {
      const environment = {
        ...baseSettings('postgres://nobody@127.0.0.1:1/none'),
        APPLICATION_ALLOWED_ORIGINS: JSON.stringify([origin]),
      };
      const process = startProcess({ script: businessService, environment });
      expect(await process.exited).toBe(78);
      expect(process.output).toContain('Write only scheme, host and port');
    },
  );
});
