// Values that the service writes in no header and no payload.
import type { Claims } from '../../rig/tokens.ts';

export const strange: readonly unknown[] = [
  ...[null, true, false, '', ' ', 'x', [], {}, [1], { a: 1 }, -1, 1.5, 1e300, -1e300, 2 ** 53, '1e400', '\0'],
  ...['admin\u200b', '\ud800', 'a'.repeat(2000), [[[[[]]]]], { $ne: null }, { toString: 'x' }],
];
export const none = ['none', 'None', 'nOnE', 'NONE', 'noNe', 'nONE'];
export const otherAlgorithms = [
  'HS256',
  'HS384',
  'HS512',
  'RS256',
  'PS256',
  'ES384',
  'ES512',
  'ES256K',
  'EdDSA',
  'es256',
  'ES256 ',
  ' ES256',
  'ES256\0',
  'dir',
];
export const kids = [
  ...[
    '../../dev/null',
    "' OR 1=1--",
    'key1\0',
    '__proto__',
    'constructor',
    'toString',
    'http://evil.example/jwks',
    '',
  ],
  ...[
    '/dev/null',
    '|id',
    '$(id)',
    '%00',
    '*',
    '.',
    '0',
    'null',
    'undefined',
    'a'.repeat(1500),
    '\u212a',
    ' ',
  ],
];
export const types = [
  'jwt',
  'JWT ',
  'at+jwt',
  'application/jwt',
  'JWS',
  'JOSE',
  'JOSE+JSON',
  '',
  'jWT',
  'JWE',
  'secevent+jwt',
];
export const furtherMembers: readonly Claims[] = [
  ...[
    { jku: 'http://127.0.0.1:1/jwks' },
    { x5u: 'http://127.0.0.1:1/x5u' },
    { x5c: ['AA=='] },
    { x5t: 'AA' },
  ],
  ...[
    { crit: ['exp'] },
    { crit: ['x'], x: 1 },
    { crit: [] },
    { crit: 'x' },
    { b64: false },
    { b64: true },
    { b64: false, crit: ['b64'] },
  ],
  ...[
    { zip: 'DEF' },
    { cty: 'JWT' },
    { nonce: 'x' },
    { enc: 'A256GCM' },
    { epk: {} },
    { p2c: 2 ** 31 },
    { iss: 'portcullis' },
  ],
];
/** For every claim what no issuer writes there; times are relative to now. */
export const extremes: Readonly<Record<string, (now: number) => readonly unknown[]>> = {
  identity: () => [0, 999_999, 2 ** 53, '1', Number.MAX_SAFE_INTEGER],
  sub: () => ['0', '01', '999999', ' 1', '1 ', '1e0', '+1', 1, '9007199254740993', '\u0661'],
  roleid: () => [0, 999, '1', 2 ** 53, -1],
  rolekey: () => [
    'Admin',
    'ADMIN',
    ' admin',
    'admin ',
    'admin\u200b',
    '\u0430dmin',
    '*',
    '__proto__',
    'nobody',
    'a'.repeat(33),
  ],
  datascope: () => ['0', '6', '11', ' 1', 1, '*'],
  nice: () => ['', 'a'.repeat(65), 7, ['ada']],
  iss: () => ['Portcullis', 'portcullis ', 'portcullis/', 'https://portcullis', ['portcullis'], ''],
  iat: (now) => [now + 60, now + 1e9, -1, now + 0.5, String(now), now * 1000, 0],
  exp: (now) => [now - 1, 0, -1, now + 86_400 * 3, now + 0.5, String(now + 60), 2 ** 53, now * 1000, 1e300],
  jti: () => [
    '',
    'a',
    'A'.repeat(21),
    'A'.repeat(23),
    `${'A'.repeat(21)}=`,
    `${'A'.repeat(21)}+`,
    `${'A'.repeat(22)}\n`,
  ],
  ep: () => [-1, 0.5, '1', 2 ** 54 + 0.5, 1e300, '0'],
};
export const furtherClaims: readonly Claims[] = [
  ...[
    { aud: 'portcullis' },
    { admin: true },
    { nbf: 0 },
    { scope: '*' },
    { roles: ['admin'] },
    { env: 'dev' },
    { rk: 'admin' },
  ],
  ...[
    { constructor: { prototype: { rk: 'admin' } } },
    { toString: 'x' },
    { '': 1 },
    { Sub: '1' },
    { 'sub\0': '1' },
  ],
];
