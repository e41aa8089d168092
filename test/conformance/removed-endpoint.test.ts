// Spec, Endpoints, Removed endpoint: there is no refresh, in no form, and nothing exchanges a token for a token.
import { METHODS } from 'node:http';
import { describe, expect, it } from 'vitest';
import { carriers, present } from '../rig/carriers.ts';
import type { Request } from '../rig/http-client.ts';
import { decodeToken, expiredClaims, signToken } from '../rig/tokens.ts';
import { useService } from '../rig/use-service.ts';
import { expectRefusal, expectSuccess } from './expect-refusal.ts';
import { anyMode } from './modes.ts';

const removed = '/api/v1/refresh_token';
/** CONNECT names a host and no path, so that no HTTP client sends it here. */
const methods = METHODS.filter((method) => method !== 'CONNECT');

const aliases = [
  '/api/v1/refresh-token',
  '/api/v1/refreshToken',
  '/api/v1/Refresh_Token',
  '/api/v1/refresh',
  '/api/v1/refresh_token/now',
  '/api/v1/token',
  '/api/v1/token/refresh',
  '/api/v1/auth/refresh_token',
  '/api/v1/login/refresh',
  '/api/v1/renew',
  '/refresh_token',
  '/api/refresh_token',
  '/api/v2/refresh_token',
];

const everyEndpoint: Request[] = [
  { path: '/api/v1/getCaptcha' },
  { path: '/api/v1/captcha' },
  { method: 'POST', path: '/api/v1/login', body: {} },
  { path: '/api/v1/user/profile' },
  { path: '/api/v1/getinfo' },
  { path: '/api/v1/greeting' },
  { path: '/api/v1/context' },
  { path: '/api/v1/orders' },
  { method: 'POST', path: '/api/v1/orders', body: { item: 'chair', count: 1 } },
  { method: 'POST', path: '/api/v1/faults', body: {} },
  { path: '/api/v1/nothing' },
  { method: 'POST', path: '/api/v1/logout' },
];

describe.each(anyMode)('in mode %s', (mode) => {
  const service = useService({ mode });

  async function expectNotFound(request: Request): Promise<void> {
    const { status, body, headers, text } = await service().send(request);
    const name = `${request.method} ${request.path} ${request.text?.slice(0, 40) ?? ''}`;
    expect(status, name).toBe(404);
    if (request.method === 'HEAD') expect(text).toBe('');
    else expect(body, name).toStrictEqual({ code: 404, msg: expect.any(String) });
    expect(headers.allow, name).toBeUndefined();
  }

  it('answers every method on it with 404 to an anonymous caller [removed-endpoint-s1] [versioning-s2]', async () => {
    for (const method of methods) await expectNotFound({ method, path: removed });
  });

  it('answers every method on it with 404 to an administrator, whatever the carrier [removed-endpoint-s1] [removed-endpoint-s2]', async () => {
    const token = await service().tokenOf('ada');
    for (const carrier of carriers)
      for (const method of methods) await expectNotFound(present(token, carrier, { method, path: removed }));
  });

  it('answers it with 404 to a role that holds a stored rule for it [removed-endpoint-s1]', async () => {
    const token = await service().tokenOf('carl');
    for (const method of ['GET', 'POST'])
      await expectNotFound(present(token, 'header', { method, path: removed }));
  });

  it.each([
    { name: 'a JSON body', text: '{"token":"x"}', type: 'application/json' },
    { name: 'broken JSON', text: '{"token":', type: 'application/json' },
    { name: 'an empty JSON body', text: '', type: 'application/json' },
    { name: 'a text', text: 'token', type: 'text/plain' },
    { name: 'a body of 100 kB', text: JSON.stringify('x'.repeat(100_000)), type: 'application/json' },
  ])(
    'answers it with 404 to $name: there is nothing that would read it [removed-endpoint-s1]',
    async ({ text, type }) => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
        await expectNotFound({ method, path: removed, text, headers: { 'content-type': type } });
    },
  );

  it.each(aliases)(
    'offers no alias: %s is 404 [removed-endpoint-s2] [what-the-service-does-s4]',
    async (path) => {
      const token = await service().tokenOf('ada');
      for (const method of ['GET', 'POST', 'PUT', 'OPTIONS'])
        await expectNotFound(present(token, 'header', { method, path }));
    },
  );

  it.each(carriers)(
    'exchanges a token (%s) for a token at no endpoint [removed-endpoint-s2] [authentication-1] [what-the-service-does-s4]',
    async (carrier) => {
      const { body, headers } = await service().logIn('carl');
      expect([typeof body.token, headers['set-cookie']?.length]).toEqual(['string', 2]);
      for (const request of everyEndpoint) {
        const answer = await service().send(present(String(body.token), carrier, request));
        const cookies = (answer.headers['set-cookie'] ?? []).filter((cookie) => !cookie.startsWith('jwt=;'));
        expect(cookies, request.path).toEqual([]);
        expect(answer.headers.authorization, request.path).toBeUndefined();
      }
      expect(await service().findLeakedTokens()).toEqual([]);
    },
  );

  it('refuses an expired token at every endpoint, so that only a login helps [removed-endpoint-s3] [limits-token-refresh]', async () => {
    const expired = signToken(expiredClaims(await service().claimsOf('carl')), await service().signingKey());
    for (const path of ['/api/v1/user/profile', '/api/v1/getinfo', '/api/v1/orders', '/api/v1/context'])
      for (const carrier of carriers)
        await expectRefusal(service(), present(expired, carrier, { path }), 'token_expired');
    await expectRefusal(
      service(),
      present(expired, 'header', { method: 'POST', path: '/api/v1/logout' }),
      'token_expired',
    );

    const { body } = await service().logIn('carl');
    expect(decodeToken(String(body.token)).claims.exp).toBeGreaterThan(Date.now() / 1000);
    expectSuccess(await service().send(present(String(body.token), 'header', { path: '/api/v1/orders' })));
  });

  it('does not extend a token by use: no answer contains another token [removed-endpoint-s3]', async () => {
    const token = await service().tokenOf('carl');
    for (let count = 0; count < 20; count += 1) {
      const answer = await service().send(present(token, 'cookie', { path: '/api/v1/orders' }));
      expectSuccess(answer);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    expect(await service().findLeakedTokens()).toEqual([]);
  });
});
