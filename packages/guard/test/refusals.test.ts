// What a guard decides about single requests, by a real Portcullis: refusals first, each with the answer that it gives.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { errorTable } from '@portcullis/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carriers, present } from '../../../test/rig/carriers.ts';
import type { Request } from '../../../test/rig/http-client.ts';
import { decodeToken, encode, expiredClaims, signToken } from '../../../test/rig/tokens.ts';
import { ask, bearer, orders, outcome, startWorld, type World } from './world.ts';

let world: World;
let token: string;

beforeAll(async () => {
  world = await startWorld();
  token = await world.logIn('carl');
});
afterAll(() => world?.close());

describe('a request without a valid token', () => {
  it.each<readonly [string, Request, string]>([
    ['no token', { path: '/api/v1/orders' }, 'token_missing'],
    ['an empty one', { path: '/api/v1/orders', headers: { authorization: '' } }, 'token_malformed'],
    [
      'another scheme',
      { path: '/api/v1/orders', headers: { authorization: 'Basic YTpi' } },
      'token_malformed',
    ],
    ['no token at all', { path: '/api/v1/orders', headers: bearer('nonsense') }, 'token_malformed'],
    ['three parts of nonsense', { path: '/api/v1/orders', headers: bearer('a.b.c') }, 'token_malformed'],
    ['an empty query parameter', { path: '/api/v1/orders?token=' }, 'token_malformed'],
    ['an empty cookie', { path: '/api/v1/orders', headers: { cookie: 'jwt=' } }, 'token_malformed'],
  ])('is refused: %s', async (_, request, kind) => {
    expect(await outcome(world.guard, request)).toBe(kind);
  });

  it('is refused with two of one carrier, also where both are good', async () => {
    const twice = {
      path: '/api/v1/orders',
      headers: { authorization: [`Bearer ${token}`, `Bearer ${token}`] },
    };
    expect(await outcome(world.guard, twice)).toBe('token_malformed');
    expect(await outcome(world.guard, { path: `/api/v1/orders?token=${token}&token=${token}` })).toBe(
      'token_malformed',
    );
  });

  it('is refused by a bad first carrier, whatever the others hold', async () => {
    const request = { path: `/api/v1/orders?token=${token}`, headers: bearer('bad') };
    expect(await outcome(world.guard, request)).toBe('token_malformed');
  });

  it('is refused when the token has expired', async () => {
    const expired = signToken(expiredClaims(decodeToken(token).claims), await world.service.signingKey());
    expect(await outcome(world.guard, orders(expired))).toBe('token_expired');
  });

  it('is refused when another key signed it under our kid', async () => {
    const { kid } = await world.service.signingKey();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const forged = signToken(decodeToken(token).claims, { kid, privateKey });
    expect(await outcome(world.guard, orders(forged))).toBe('token_malformed');
  });

  it('is refused without a signature, and with changed claims', async () => {
    const [header, , signature] = token.split('.');
    const claims = { ...decodeToken(token).claims, rolekey: 'admin' };
    expect(await outcome(world.guard, orders(`${header}.${encode(claims)}.${signature}`))).toBe(
      'token_malformed',
    );
    const none = `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`;
    expect(await outcome(world.guard, orders(none))).toBe('token_malformed');
  });

  it('is refused when it names a role that is not its own, though our key signed it', async () => {
    const claims = {
      ...decodeToken(token).claims,
      rolekey: 'admin',
      jti: randomBytes(16).toString('base64url'),
    };
    const signed = signToken(claims, await world.service.signingKey());
    expect(await outcome(world.guard, orders(signed))).toBe('token_revoked');
  });
});

describe('a request that the rules do not allow', () => {
  it.each([
    ['GET', '/api/v1/reports/2026/11'],
    ['DELETE', '/api/v1/orders/7'],
    ['GET', '/api/v1/orders/7/lines'],
    ['HEAD', '/api/v1/orders'],
    ['GET', '/api/v1/ORDERS'],
    ['GET', '/'],
  ])('is refused: %s %s', async (method, path) => {
    const kind = path === '/' ? 'route_not_found' : 'permission_denied';
    expect(await outcome(world.guard, { method, path, headers: bearer(token) })).toBe(kind);
  });

  it('is refused on the excluded endpoints of Portcullis too: they are no endpoints of the service', async () => {
    const request = { path: '/api/v1/user/profile', headers: bearer(token) };
    expect(await outcome(world.guard, request)).toBe('permission_denied');
  });
});

describe('a target that can be read in two ways', () => {
  it.each([
    '/api/v1/orders/',
    '/api/v1//orders',
    '//api/v1/orders',
    '/api/v1/./orders',
    '/api/v1/reports/../orders',
    '/api/v1/%6frders',
    '/api/v1/orders%2f7',
    '/api/v1/orders;x=1',
    '/api/v1/orders#x',
    '\\api\\v1\\orders',
    'http://orders/api/v1/orders',
    '*',
    '',
    '/api/v1/orders\u0000',
    '/api/v1/órders',
  ])('is refused, also for an administrator: %j', async (path) => {
    const admin = await world.service.tokenOf('ada');
    expect(await outcome(world.guard, { path, headers: bearer(admin) })).toBe('route_not_found');
  });
});

describe('the cookie', () => {
  const change = (headers: Record<string, string>): Request => ({
    method: 'POST',
    path: '/api/v1/orders',
    headers: { cookie: `jwt=${token}`, ...headers },
  });

  it('changes nothing for a page of another site', async () => {
    expect(await outcome(world.guard, change({}))).toBe('cross_site');
    expect(await outcome(world.guard, change({ 'sec-fetch-site': 'cross-site' }))).toBe('cross_site');
    expect(await outcome(world.guard, change({ 'sec-fetch-site': 'same-site' }))).toBe('cross_site');
    const lie = { 'sec-fetch-site': 'cross-site', 'x-requested-with': 'XMLHttpRequest' };
    expect(await outcome(world.guard, change(lie))).toBe('cross_site');
    expect(await outcome(world.guard, change({ origin: 'https://shop.example' }))).toBe('cross_site');
  });

  it('counts from the own site, from a listed origin and for reading', async () => {
    expect(await outcome(world.guard, change({ 'sec-fetch-site': 'same-origin' }))).toBe('allowed');
    const listing = await world.openGuard({ origins: ['https://shop.example'] });
    expect(await outcome(listing, change({ origin: 'https://shop.example' }))).toBe('allowed');
    const read = {
      path: '/api/v1/orders',
      headers: { cookie: `jwt=${token}`, 'sec-fetch-site': 'cross-site' },
    };
    expect(await outcome(world.guard, read)).toBe('allowed');
  });
});

describe('the answer', () => {
  it('equals the answer of Portcullis, in the language of the request', async () => {
    const { code, text } = errorTable.token_missing;
    for (const [language, msg] of [
      ['en', text.en],
      ['zh-CN,zh;q=0.9', text.zh],
    ] as const) {
      const refused = await ask(world.guard, {
        path: '/api/v1/orders',
        headers: { 'accept-language': language },
      });
      expect(refused).toEqual({
        allowed: false,
        kind: 'token_missing',
        status: 200,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'x-auth-reason': 'token_missing',
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        },
        body: JSON.stringify({ code, msg }),
      });
    }
  });

  it('names the caller where the request is allowed, by each carrier', async () => {
    for (const carrier of carriers) {
      const decision = await ask(world.guard, present(token, carrier, { path: '/api/v1/orders/7?page=2' }));
      expect(decision, carrier).toMatchObject({
        allowed: true,
        caller: { username: 'carl', roleKey: 'clerk', dataScope: '3' },
      });
    }
  });

  it('lets an administrator pass without a rule', async () => {
    const admin = await world.service.tokenOf('ada');
    expect(await outcome(world.guard, { path: '/api/v1/anything', headers: bearer(admin) })).toBe('allowed');
  });

  it('comes at once for a token that was seen before', async () => {
    await ask(world.guard, orders(token));
    const decision = world.guard.decide({
      method: 'GET',
      target: '/api/v1/orders',
      rawHeaders: ['Authorization', `Bearer ${token}`],
      headers: {},
    });
    expect(decision).not.toBeInstanceOf(Promise);
  });
});
