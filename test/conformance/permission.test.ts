// Spec, Authentication 5 and 6: the permission check and the exclusion list.
import { describe, expect, it } from 'vitest';
import { present } from '../rig/carriers.ts';
import type { Request } from '../rig/http-client.ts';
import type { Username } from '../rig/seed.ts';
import { useService } from '../rig/use-service.ts';
import { expectRefusal, expectSuccess } from './expect-refusal.ts';
import { anyMode } from './modes.ts';

const order = { item: 'chair', count: 1 };
const exclusions = [
  'POST /api/v1/login',
  'POST /api/v1/logout',
  'GET /api/v1/getCaptcha',
  'GET /api/v1/captcha',
  'GET /api/v1/user/profile',
  'GET /api/v1/notices',
];

/** The rules of each role are in the rig's seed. */
const refusedCases: { username: Username; method: string; path: string; body?: object }[] = [
  { username: 'gina', method: 'GET', path: '/api/v1/orders' },
  { username: 'gina', method: 'GET', path: '/api/v1/orders/7' },
  { username: 'gina', method: 'POST', path: '/api/v1/orders', body: order },
  { username: 'carl', method: 'PUT', path: '/api/v1/orders/7', body: order },
  { username: 'carl', method: 'DELETE', path: '/api/v1/orders/7' },
  { username: 'carl', method: 'GET', path: '/api/v1/reports/2026/11' },
  { username: 'alba', method: 'GET', path: '/api/v1/orders' },
  { username: 'alba', method: 'POST', path: '/api/v1/orders', body: order },
  { username: 'bela', method: 'GET', path: '/api/v1/reports/2026/11' },
];

const allowedCases: { username: Username; method: string; path: string; body?: object; done: string }[] = [
  { username: 'carl', method: 'GET', path: '/api/v1/orders', done: 'listed' },
  { username: 'carl', method: 'POST', path: '/api/v1/orders', body: order, done: 'added chair' },
  { username: 'carl', method: 'GET', path: '/api/v1/orders/7', done: 'showed 7' },
  { username: 'alba', method: 'GET', path: '/api/v1/orders/7', done: 'showed 7' },
  { username: 'alba', method: 'PUT', path: '/api/v1/orders/7', body: order, done: 'changed 7' },
  { username: 'alba', method: 'DELETE', path: '/api/v1/orders/7', done: 'removed 7' },
  { username: 'alba', method: 'GET', path: '/api/v1/reports/2026/11', done: 'reported' },
];

describe.each(anyMode)('in mode %s', (mode) => {
  const service = useService({ mode, settings: { PERMISSION_EXCLUSIONS: JSON.stringify(exclusions) } });
  const as = async (username: Username, request: Request) =>
    present(await service().tokenOf(username), 'header', request);

  it.each(refusedCases)(
    'refuses $username $method $path, which no rule of the role allows [authentication-5d] [authentication-5] [what-the-service-does-2]',
    async ({ username, ...request }) => {
      await expectRefusal(service(), await as(username, request), 'permission_denied');
    },
  );

  it.each(allowedCases)(
    'serves $username $method $path, which a rule of the role allows [authentication-5d] [authentication-5] [what-the-service-does-2]',
    async ({ username, done, ...request }) => {
      const answer = await service().send(await as(username, request));
      expectSuccess(answer);
      expect(answer.body.data).toEqual({ done });
    },
  );

  it.each([
    { method: 'GET', path: '/api/v1/orders' },
    { method: 'PUT', path: '/api/v1/orders/7', body: order },
    { method: 'DELETE', path: '/api/v1/orders/7' },
    { method: 'GET', path: '/api/v1/reports/2026/11' },
    { method: 'GET', path: '/api/v1/bulletins' },
  ])('serves the role key admin $method $path without any rule [authentication-5a]', async (request) => {
    expectSuccess(await service().send(await as('ada', request)));
  });

  it('refuses admin without a live token like any other caller [authentication-5a] [what-the-service-does-1]', async () => {
    const token = String((await service().logIn('ada')).body.token);
    await service().send(present(token, 'header', { method: 'POST', path: '/api/v1/logout' }));
    await expectRefusal(service(), present(token, 'header', { path: '/api/v1/orders' }), 'token_revoked');
  });

  it('refuses an endpoint that could be excluded but is not on the list, where no rule allows it [authentication-5b] [authentication-6.1]', async () => {
    await expectRefusal(service(), await as('gina', { path: '/api/v1/bulletins' }), 'permission_denied');
  });

  it('skips the check for an endpoint that was added to the exclusion list [authentication-5b] [authentication-6.1] [permission-exclusion-list-s1]', async () => {
    for (const username of ['gina', 'carl', 'alba', 'ada'] as const)
      expectSuccess(await service().send(await as(username, { path: '/api/v1/notices' })));
  });

  it('requires an identity at an endpoint on the exclusion list [authentication-5b] [what-the-service-does-s2]', async () => {
    await expectRefusal(service(), { path: '/api/v1/notices' }, 'token_missing');
  });

  it('excludes the listed method and path and nothing else [permission-exclusion-list-s1]', async () => {
    for (const request of [
      { method: 'POST', path: '/api/v1/notices', body: {} },
      { path: '/api/v1/notices/1' },
    ]) {
      await expectRefusal(service(), await as('gina', request), 'permission_denied');
      // Both routes are served without the check: the check refuses.
      expectSuccess(await service().send(await as('ada', request)));
    }
  });

  it.each(['gina', 'carl', 'alba', 'ada'] as const)(
    'serves %s a route that has no permission check attached [authentication-5c]',
    async (username) => {
      expectSuccess(await service().send(await as(username, { path: '/api/v1/context' })));
    },
  );

  it('serves a public route without a token and with a bad one [authentication-5c]', async () => {
    expectSuccess(await service().send({ path: '/api/v1/greeting' }));
    expectSuccess(await service().send(present('no.such-token', 'header', { path: '/api/v1/greeting' })));
  });
});
