// T10, T12 and T13: payloads that the real key has signed, and that are no claims of ours.
import { randomBytes } from 'node:crypto';
import type { Claims } from '../../rig/tokens.ts';
import { type Forgery, forge, signedBy, type Target } from './forge.ts';

const nowSeconds = () => Math.floor(Date.now() / 1000);
const wrongTypes = [undefined, null, true, '', [], {}, -1, 1.5];

/** Every claim absent, of another type, and at its edges. */
export function claimMutations({ header, claims, privateKey }: Target): Forgery[] {
  const now = nowSeconds();
  const iat = Number(claims.iat);
  const wrongValues: Record<string, unknown[]> = {
    exp: ['4102444800', iat, iat - 1, 0, now * 1000, 1e308, [now + 60], { $gt: 0 }],
    iat: [String(iat), now + 600, now + 86_400, now * 1000, 0, 1e308, [iat]],
    identity: ['1', 0, 2 ** 53, 2 ** 53 + 2, 1e21, [1], { $ne: 0 }, Number(claims.identity) + 1],
    sub: [
      1,
      '0',
      '01',
      '+1',
      '-1',
      '1 ',
      ' 1',
      '1.0',
      '1e0',
      '0x1',
      '１',
      '99999999999999999',
      ['1'],
      'ada',
      '2',
    ],
    roleid: ['1', 0, 2 ** 53, 999_999, [1], 2],
    rolekey: [
      'Admin',
      'ADMIN',
      'admin ',
      ' admin',
      'admin\u200b',
      'аdmin',
      '*',
      ['admin'],
      1,
      'clerk',
      'root',
      '__proto__',
    ],
    nice: ['x'.repeat(65), 1, ['ada']],
    datascope: [1, '0', '6', '1 ', 'all', ['1'], '2'],
    jti: [
      'short',
      'A'.repeat(21),
      'A'.repeat(23),
      `${'A'.repeat(21)}=`,
      'A'.repeat(21).concat('+'),
      1,
      ['A'.repeat(22)],
    ],
    ep: ['1', -0.5, [1]],
  };
  const valued = Object.entries(wrongValues).flatMap(([claim, values]) =>
    [...wrongTypes, ...values].map((value) => ({
      name: `${claim} ${value === undefined ? 'absent' : JSON.stringify(value)?.slice(0, 40)}`,
      payload: { ...claims, [claim]: value },
    })),
  );
  return [...valued, ...times(claims, now), ...furtherClaims(claims)].map(({ name, payload }) => ({
    name,
    token: forge(header, payload, signedBy(privateKey)),
  }));
}

interface Payload {
  readonly name: string;
  readonly payload: unknown;
}

/** Numbers that JSON can write and a double cannot hold, and times that contradict each other. */
function times(claims: Claims, now: number): Payload[] {
  const spelt = (claim: string, number: string) =>
    JSON.stringify({ ...claims, [claim]: 4711 }).replace(`"${claim}":4711`, `"${claim}":${number}`);
  const numbers = [
    '1e400',
    '-1e400',
    '9007199254740993',
    '1e3',
    '3.0',
    '-0',
    '0x10',
    '1_000',
    '01',
    '+1',
    'NaN',
    'Infinity',
  ];
  return [
    ...['exp', 'iat', 'identity', 'ep'].flatMap((claim) =>
      numbers.map((number) => ({ name: `${claim} written ${number}`, payload: spelt(claim, number) })),
    ),
    { name: 'already over', payload: { ...claims, iat: now - 7200, exp: now - 1 } },
    { name: 'over in this second', payload: { ...claims, iat: now - 7200, exp: now } },
    { name: 'over before it began', payload: { ...claims, iat: now, exp: now - 60 } },
    { name: 'a day and a second', payload: { ...claims, iat: now, exp: now + 86_401 } },
    { name: 'a hundred years', payload: { ...claims, iat: now, exp: now + 876_010 * 3600 } },
    { name: 'from the future', payload: { ...claims, iat: now + 600, exp: now + 3600 } },
  ];
}

function furtherClaims(claims: Claims): Payload[] {
  const now = nowSeconds();
  const more = [
    { nbf: now + 60 },
    { nbf: 0 },
    { admin: true },
    { aud: 'portcullis' },
    { scope: '*' },
    { roles: ['admin'] },
  ];
  return more.map((extra) => ({ name: `with ${JSON.stringify(extra)}`, payload: { ...claims, ...extra } }));
}

/** A token of the same key that was made for something else: another type, another issuer, any audience. */
export function otherPurposes({ header, claims, privateKey }: Target): Forgery[] {
  const variants = (good: string) => [
    undefined,
    null,
    '',
    good.toLowerCase() === good ? good.toUpperCase() : good.toLowerCase(),
    [good],
    [good, 'evil'],
    `${good}x`,
    `x${good}`,
    good.slice(0, -1),
    ` ${good}`,
    `${good} `,
    `${good}\u0000`,
    `https://${good}/`,
    `${good},evil`,
    { value: good },
  ];
  const typs = [
    ...variants('JWT'),
    'at+jwt',
    'logout+jwt',
    'dpop+jwt',
    'secevent+jwt',
    'application/jwt',
    'JOSE',
  ];
  const audiences = ['portcullis', 'other', ['portcullis'], ['portcullis', 'evil'], null, ''];
  return [
    ...typs.map((typ) => ({ name: `typ ${JSON.stringify(typ)}`, header: { ...header, typ }, claims })),
    ...variants('portcullis').map((iss) => ({
      name: `iss ${JSON.stringify(iss)}`,
      header,
      claims: { ...claims, iss },
    })),
    ...audiences.map((aud) => ({ name: `aud ${JSON.stringify(aud)}`, header, claims: { ...claims, aud } })),
    { name: 'the claims of an identity token', header, claims: identityToken(claims) },
    { name: 'the claims of a captcha', header, claims: { id: 'x', code: 'ABCDE', exp: nowSeconds() + 60 } },
  ].map(({ name, header: head, claims: payload }) => ({
    name,
    token: forge(head, payload, signedBy(privateKey)),
  }));
}

function identityToken({ sub, iat, exp }: Claims): Claims {
  return { sub, iat, exp, iss: 'portcullis', aud: 'portcullis', email: 'ada@example.com', nonce: 'x' };
}

/** JSON that two parsers read differently, or that reaches for what all objects share. */
export function strangeJson({ header, claims, privateKey }: Target): Forgery[] {
  const text = JSON.stringify(claims);
  const inner = text.slice(1, -1);
  const twice = Object.entries(claims).flatMap(([claim, value]) => [
    [`${claim} twice, the same`, `{${inner},"${claim}":${JSON.stringify(value)}}`],
    [`${claim} twice, another first`, `{"${claim}":"2",${inner}}`],
    [`${claim} twice, another last`, `{${inner},"${claim}":"2"}`],
  ]);
  const poison = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'].flatMap((name) => [
    [`${name} with a role`, `{"${name}":{"rk":"admin","rolekey":"admin"},${inner}}`],
    [`${name} alone`, `{"${name}":${text}}`],
    [`${name} escaped`, `{"\\u005f${name.slice(1)}":{"rk":"admin"},${inner}}`],
  ]);
  const spelt = [
    ['spaces', text.replaceAll(',', ', ')],
    ['a line break behind it', `${text}\n`],
    ['a BOM before it', `\uFEFF${text}`],
    ['an escaped name', text.replace('identity', '\\u0069dentity')],
    ['an escaped slash', text.replace('"nice":"ada"', '"nice":"a\\/da"')],
    ['two objects', `${text}${text}`],
    ['a NUL behind it', `${text}\u0000`],
    ['a trailing comma', `{${inner},}`],
    ['depth 900', text.replace('"nice":"ada"', `"nice":${'['.repeat(900)}${']'.repeat(900)}`)],
    ['nothing but depth', '['.repeat(1000) + ']'.repeat(1000)],
  ];
  return [...twice, ...poison, ...spelt].map(([name = '', payload]) => ({
    name: `payload: ${name}`,
    token: forge(header, payload, signedBy(privateKey)),
  }));
}

/** Payloads over the 4096 characters, which are not even decoded; a header carries them, a query does not. */
export function longPayloads({ header, claims, privateKey }: Target): Forgery[] {
  const long: Record<string, unknown> = {
    'a claim of 9 kB': { ...claims, nice: 'x'.repeat(9000) },
    'depth 5000': '['.repeat(5000) + ']'.repeat(5000),
    '900 members': Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`k${i}`, 0])),
    'a token of a few characters too many': { ...claims, nice: randomBytes(1450).toString('hex') },
  };
  return Object.entries(long).map(([name, payload]) => ({
    name,
    token: forge(header, payload, signedBy(privateKey)),
  }));
}
