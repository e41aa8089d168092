// Spec, Errors; and Authentication 3. Every condition by every carrier.
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Carrier, carriers, present } from '../rig/carriers.ts';
import type { Request } from '../rig/http-client.ts';
import { encode, expiredClaims, signToken } from '../rig/tokens.ts';
import { useService } from '../rig/use-service.ts';
import { expectRefusal, expectRefusalBody } from './expect-refusal.ts';
import { modes } from './modes.ts';

const orders: Request = { path: '/api/v1/orders' };

/** Text in the carrier that is not the token. */
const withoutToken: Record<Carrier, Request> = {
  header: { ...orders, headers: { 'x-authorization': 'Bearer abc' } },
  query: { path: '/api/v1/orders?page=1&tokens=abc' },
  cookie: { ...orders, headers: { cookie: 'jwts=abc; theme=dark' } },
};

describe.each(modes)('in mode %s', (mode) => {
  const service = useService({ mode });

  async function forgedToken(): Promise<string> {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { kid } = await service().signingKey();
    return signToken(await service().claimsOf('carl'), { kid, privateKey });
  }

  async function expiredToken(): Promise<string> {
    return signToken(expiredClaims(await service().claimsOf('carl')), await service().signingKey());
  }

  async function endedToken(): Promise<string> {
    const token = String((await service().logIn('carl')).body.token);
    await service().send(present(token, 'header', { method: 'POST', path: '/api/v1/logout' }));
    return token;
  }

  it.each(carriers)(
    'answers a missing token (%s) with HTTP 200 and code 401 and enters no handler [errors-token-missing] [authentication-3] [errors-1]',
    async (carrier) => {
      await expectRefusal(service(), withoutToken[carrier], 'token_missing');
    },
  );

  it.each(carriers)(
    'answers a malformed token (%s) with HTTP 200 and code 401 and enters no handler [authentication-3] [errors-1]',
    async (carrier) => {
      await expectRefusal(service(), present('no.such-token', carrier, orders), 'token_malformed');
    },
  );

  it.each(carriers)(
    'answers a forged token (%s) with HTTP 200 and code 401 and enters no handler [authentication-1] [errors-1]',
    async (carrier) => {
      await expectRefusal(service(), present(await forgedToken(), carrier, orders), 'token_malformed');
    },
  );

  it.each(carriers)(
    'answers an expired token (%s) with HTTP 200 and code 401 and enters no handler [errors-token-expired] [authentication-3] [errors-1]',
    async (carrier) => {
      await expectRefusal(service(), present(await expiredToken(), carrier, orders), 'token_expired');
    },
  );

  it.each(carriers)(
    'answers a revoked token (%s) with HTTP 200 and code 401 and enters no handler [authentication-3] [errors-1]',
    async (carrier) => {
      await expectRefusal(service(), present(await endedToken(), carrier, orders), 'token_revoked');
    },
  );

  it.each(carriers)(
    'answers a role that lacks the permission (%s) with HTTP 200 and code 401 and enters no handler [errors-role-lacks-permission] [authentication-5d] [errors-1]',
    async (carrier) => {
      const token = await service().tokenOf('gina');
      await expectRefusal(service(), present(token, carrier, orders), 'permission_denied');
    },
  );

  it('gives the three conditions the same body shape and the same headers but for the reason [errors-1] [unauthenticated-unauthorized-body-code] [unauthenticated-unauthorized-body-msg]', async () => {
    const answers = [
      await service().send(orders),
      await service().send(present(await expiredToken(), 'header', orders)),
      await service().send(present(await service().tokenOf('gina'), 'header', orders)),
    ];
    for (const answer of answers) expectRefusalBody(answer);
    const names = answers.map(({ headers }) => Object.keys(headers).sort());
    expect(names[1]).toEqual(names[0]);
    expect(names[2]).toEqual(names[0]);
  });

  it('gives a refusal and a success the same HTTP status, so that only `code` tells them apart [errors-2]', async () => {
    const refused = await service().send(orders);
    const served = await service().send(present(await service().tokenOf('carl'), 'header', orders));
    expect(refused.status).toBe(served.status);
    expect([refused.body.code, served.body.code]).toEqual([401, 200]);
  });

  it('writes `code` as a number and `msg` as text in the language of the caller [unauthenticated-unauthorized-body-code] [unauthenticated-unauthorized-body-msg]', async () => {
    const chinese = await service().send({ ...orders, headers: { 'accept-language': 'zh-CN,en;q=0.5' } });
    const english = await service().send(orders);
    expect(english.text).toMatch(/^\{"code":401,"msg":"[\x20-\x7e]+"\}$/);
    expect(chinese.text).toMatch(/^\{"code":401,"msg":"\p{Script=Han}.+"\}$/u);
  });

  it('answers neither a fault nor an unknown address with code 401, so that no front end opens the login page [errors-2]', async () => {
    const fault = await service().send(
      present(await service().tokenOf('carl'), 'header', {
        method: 'POST',
        path: '/api/v1/faults',
        body: {},
      }),
    );
    const unknown = await service().send({ path: '/api/v1/nothing' });
    expect([fault.status, fault.body]).toEqual([500, { code: 500, msg: expect.any(String) }]);
    expect([unknown.status, unknown.body]).toEqual([404, { code: 404, msg: expect.any(String) }]);
  });

  const forgeries: Record<string, () => Promise<string>> = {
    'an unsigned one (alg none)': async () =>
      `${encode({ alg: 'none', typ: 'JWT' })}.${encode(await service().claimsOf('ada'))}.`,
    'an unsigned one that names our key': async () => {
      const { kid } = await service().signingKey();
      return `${encode({ alg: 'none', typ: 'JWT', kid })}.${encode(await service().claimsOf('ada'))}.AAAA`;
    },
    'one with the signature of another': async () => {
      const [header, , signature] = (await service().tokenOf('gina')).split('.');
      return `${header}.${encode(await service().claimsOf('ada'))}.${signature}`;
    },
    'one whose claims were changed': async () => {
      const [header, , signature] = (await service().tokenOf('gina')).split('.');
      return `${header}.${encode({ ...(await service().claimsOf('gina')), rolekey: 'admin', roleid: 1 })}.${signature}`;
    },
    'one under an unknown key': async () =>
      signToken(await service().claimsOf('ada'), {
        ...(await service().signingKey()),
        kid: 'ffffffffffffffff',
      }),
    'one of another issuer': async () =>
      signToken({ ...(await service().claimsOf('ada')), iss: 'elsewhere' }, await service().signingKey()),
    'one that lacks a data item': async () => {
      const { datascope, ...claims } = await service().claimsOf('ada');
      return signToken(claims, await service().signingKey());
    },
    'one of tomorrow': async () => {
      const at = Math.floor(Date.now() / 1000) + 86_400;
      const claims = { ...(await service().claimsOf('ada')), iat: at, exp: at + 600 };
      return signToken(claims, await service().signingKey());
    },
    'a live one with a changed last character': async () => {
      const token = await service().tokenOf('ada');
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      const last = alphabet.indexOf(token.at(-1) ?? 'A');
      return `${token.slice(0, -1)}${alphabet[last ^ 1]}`;
    },
    'a live one with something behind it': async () => `${await service().tokenOf('ada')}.AAAA`,
  };

  it.each(Object.keys(forgeries))(
    'refuses %s as a token [what-the-service-does-1] [authentication-1]',
    async (name) => {
      const token = (await forgeries[name]?.()) ?? '';
      await expectRefusal(service(), present(token, 'header', orders), 'token_malformed');
    },
  );
});
