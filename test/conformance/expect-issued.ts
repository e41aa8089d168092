// The complete answer of a successful login: the same for every method that verifies the credentials.
import { expect } from 'vitest';
import type { Answer } from '../rig/http-client.ts';
import { decodeToken } from '../rig/tokens.ts';

const claimNames = [
  'identity',
  'roleid',
  'rolekey',
  'nice',
  'datascope',
  'sub',
  'iss',
  'iat',
  'exp',
  'jti',
  'ep',
];

export function expectIssued({ status, body, headers }: Answer, mode: string): void {
  expect(status).toBe(200);
  expect(body).toStrictEqual({
    code: 200,
    token: expect.any(String),
    expire: expect.any(String),
    requestId: headers['x-request-id'],
  });
  const { header, claims } = decodeToken(String(body.token));
  expect(header).toStrictEqual({ alg: 'ES256', typ: 'JWT', kid: expect.stringMatching(/^[a-z0-9]{1,16}$/) });
  expect(Object.keys(claims).sort()).toEqual(claimNames.toSorted());
  const lifetimeSeconds = mode === 'dev' ? 876_010 * 3600 : 3600;
  expect(Number(claims.exp) - Number(claims.iat)).toBe(lifetimeSeconds);
  expectCookie(headers['set-cookie'], String(body.token), mode);
}

/** The cookie of the token, and the cookie of the device, which is no token. */
function expectCookie(cookies: string[] | undefined, token: string, mode: string): void {
  expect(cookies).toHaveLength(2);
  const secure = mode === 'dev' ? [] : ['Secure'];
  const device = mode === 'dev' ? 'device' : '__Host-device';
  const pairs = (cookies ?? []).map((cookie) => {
    const [pair, ...attributes] = cookie.split('; ');
    const names = attributes.map((attribute) => attribute.replace(/=\d+$/, '')).sort();
    expect(names).toEqual(['HttpOnly', 'Max-Age', 'Path=/', 'SameSite=Strict', ...secure]);
    return pair;
  });
  expect(pairs).toEqual([`jwt=${token}`, expect.stringMatching(new RegExp(`^${device}=[\\w-]{54}$`))]);
}
