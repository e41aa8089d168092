import { createHmac, verify as isSigned, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTokenVerifier } from '../../src/token/verify-token.ts';
import { createTestKeys, goodClaims, goodHeader, nowSeconds } from '../test-keys.ts';

const keys = createTestKeys();
const stranger = createTestKeys();
const verify = createTokenVerifier({
  keys: keys.ring,
  maxLifetimeSeconds: 86_400,
  now: () => nowSeconds * 1000,
});
const good = keys.token(goodHeader, goodClaims);
const [header64 = '', payload64 = '', signature64 = ''] = good.split('.');

const expectMalformed = (token: string) =>
  expect(verify(token)).rejects.toMatchObject({ kind: 'token_malformed' });
const json = JSON.stringify;
const without = (value: object, name: string) =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));

describe('a token with a sound signature is refused', () => {
  const headers: Record<string, unknown> = {
    'alg none': { ...goodHeader, alg: 'none' },
    'alg None': { ...goodHeader, alg: 'None' },
    'alg HS256': { ...goodHeader, alg: 'HS256' },
    'alg RS256': { ...goodHeader, alg: 'RS256' },
    'alg ES384': { ...goodHeader, alg: 'ES384' },
    'alg ES256K': { ...goodHeader, alg: 'ES256K' },
    'alg es256': { ...goodHeader, alg: 'es256' },
    'alg in a list': { ...goodHeader, alg: ['ES256'] },
    'alg null': { ...goodHeader, alg: null },
    'no alg': without(goodHeader, 'alg'),
    'no typ': without(goodHeader, 'typ'),
    'typ jwt': { ...goodHeader, typ: 'jwt' },
    'typ at+jwt': { ...goodHeader, typ: 'at+jwt' },
    'no kid': without(goodHeader, 'kid'),
    'an empty kid': { ...goodHeader, kid: '' },
    'a number as kid': { ...goodHeader, kid: 1 },
    'a list as kid': { ...goodHeader, kid: ['k1'] },
    'an unknown kid': { ...goodHeader, kid: 'k2' },
    'a kid from a prototype': { ...goodHeader, kid: '__proto__' },
    'a path as kid': { ...goodHeader, kid: '../../dev/null' },
    'an embedded key': { ...goodHeader, jwk: stranger.publicKey.export({ format: 'jwk' }) },
    'a key set to fetch': { ...goodHeader, jku: 'http://127.0.0.1/jwks' },
    'a certificate to fetch': { ...goodHeader, x5u: 'http://127.0.0.1/cert' },
    'a certificate': { ...goodHeader, x5c: ['MII'] },
    'a critical extension': { ...goodHeader, crit: ['b64'], b64: false },
    'an unencoded payload': { ...goodHeader, b64: false },
    'a content type': { ...goodHeader, cty: 'JWT' },
    'a compression': { ...goodHeader, zip: 'DEF' },
    'a list as header': [goodHeader],
    'null as header': null,
    'a text as header': json('ES256'),
    'a space in its header': json(goodHeader).replace(',', ', '),
    'a repeated alg': json(goodHeader).replace('{', '{"alg":"none",'),
    'a repeated kid': json(goodHeader).replace('}', ',"kid":"k1"}'),
    'an escaped header': json(goodHeader).replace('ES256', '\\u0045S256'),
    'a broken header': json(goodHeader).slice(0, -1),
    'a byte order mark': `\ufeff${json(goodHeader)}`,
  };
  it.each(Object.entries(headers))('with %s', async (_what, header) => {
    await expectMalformed(keys.token(header, goodClaims));
  });

  it('with the other one of the two that ECDSA has for it', async () => {
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const signature = Buffer.from(signature64, 'base64url');
    const s = BigInt(`0x${signature.toString('hex', 32)}`);
    signature.write((order - s).toString(16).padStart(64, '0'), 32, 'hex');
    const input = Buffer.from(`${header64}.${payload64}`);
    const key = { key: keys.publicKey, dsaEncoding: 'ieee-p1363' } as const;
    expect(isSigned('sha256', input, key, signature)).toBe(true);
    await expectMalformed(`${header64}.${payload64}.${signature.toString('base64url')}`);
  });

  it.each(Object.keys(goodClaims))('without the claim %s', async (name) => {
    await expectMalformed(keys.token(goodHeader, without(goodClaims, name)));
  });

  it.each(Object.keys(goodClaims))(
    'with the claim %s as null, a list, an object or a truth',
    async (name) => {
      for (const value of [null, [], {}, true])
        await expectMalformed(keys.token(goodHeader, { ...goodClaims, [name]: value }));
    },
  );

  const claims: Record<string, object> = {
    'a user id as text': { identity: '7' },
    'a user id of zero': { identity: 0, sub: '0' },
    'a negative user id': { identity: -7, sub: '-7' },
    'a fractional user id': { identity: 7.5, sub: '7.5' },
    'a user id beyond 2^53': { identity: 2 ** 53, sub: String(2 ** 53) },
    'another user in sub': { sub: '8' },
    'another user in identity': { identity: 8 },
    'a zero before sub': { sub: '07' },
    'a space behind sub': { sub: '7 ' },
    'a number as sub': { sub: 7 },
    'a role id as text': { roleid: '2' },
    'a role id of zero': { roleid: 0 },
    'a role key in capitals': { rolekey: 'Admin' },
    'a role key with a space': { rolekey: 'admin ' },
    'a look-alike role key': { rolekey: '\u0430dmin' },
    'an empty role key': { rolekey: '' },
    'a list as role key': { rolekey: ['admin'] },
    'an empty username': { nice: '' },
    'a username of 65 characters': { nice: 'x'.repeat(65) },
    'a number as username': { nice: 7 },
    'a number as data scope': { datascope: 1 },
    'an unknown data scope': { datascope: '6' },
    'an empty data scope': { datascope: '' },
    'another issuer': { iss: 'portcullis.example' },
    'an empty issuer': { iss: '' },
    'a list as issuer': { iss: ['portcullis'] },
    'a time as text': { iat: String(goodClaims.iat) },
    'a fractional time': { iat: goodClaims.iat + 0.5 },
    'a negative time': { iat: -1, exp: 3600 },
    'an issue time beyond the leeway': { iat: nowSeconds + 6, exp: nowSeconds + 3600 },
    'an expiry at its issue': { exp: goodClaims.iat },
    'an expiry before its issue': { exp: goodClaims.iat - 1 },
    'an expiry as text': { exp: String(goodClaims.exp) },
    'a life one second too long': { exp: goodClaims.iat + 86_401 },
    'a life of a hundred years': { exp: goodClaims.iat + 876_010 * 3600 },
    'milliseconds for seconds': { iat: goodClaims.iat * 1000, exp: goodClaims.exp * 1000 },
    'a short jti': { jti: 'A'.repeat(21) },
    'a long jti': { jti: 'A'.repeat(23) },
    'a jti with a slash': { jti: `${'A'.repeat(21)}/` },
    'a jti with a line end': { jti: `${'A'.repeat(22)}\n` },
    'a negative epoch': { ep: -1 },
    'an epoch as text': { ep: '1' },
    'an audience': { aud: 'portcullis' },
    'a start time': { nbf: nowSeconds - 60 },
    'a claim of nothing': { '': '' },
    'a claim that is no claim': { admin: true },
  };
  it.each(Object.entries(claims))('with %s', async (_what, change) => {
    await expectMalformed(keys.token(goodHeader, { ...goodClaims, ...change }));
  });

  const payloads: Record<string, string> = {
    'no payload': '',
    'a list as payload': json([goodClaims]),
    'null as payload': 'null',
    'a text as payload': '"mei"',
    'a space in its payload': `${json(goodClaims)} `,
    'a repeated role key': json(goodClaims).replace('{', '{"rolekey":"admin",'),
    'a repeated expiry': json(goodClaims).replace('}', `,"exp":${goodClaims.exp}}`),
    'a poisoned payload': json(goodClaims).replace('{', '{"__proto__":{"rolekey":"admin"},'),
    'a number in another spelling': json(goodClaims).replace('"ep":1', '"ep":1.0'),
    'a number beyond all bounds': json(goodClaims).replace(/"exp":\d+/, '"exp":1e400'),
    'an escaped name': json(goodClaims).replace('"ep"', '"\\u0065p"'),
    'two payloads': json(goodClaims).repeat(2),
    'a nested token': good,
  };
  it.each(Object.entries(payloads))('with %s', async (_what, payload) => {
    await expectMalformed(keys.token(goodHeader, payload));
  });
});

describe('a text is no token', () => {
  const hmac = (secret: string | Buffer) => {
    const input = `${Buffer.from(json({ ...goodHeader, alg: 'HS256' })).toString('base64url')}.${payload64}`;
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  };
  const der = sign('sha256', Buffer.from(`${header64}.${payload64}`), keys.privateKey);
  /** The last character of 64 bytes has four bits to spare: this spelling decodes to the same signature. */
  const respelt = signature64.slice(0, -1) + String.fromCharCode(signature64.charCodeAt(85) + 1);
  const texts: Record<string, string> = {
    nothing: '',
    'a word': 'token',
    'one part': header64,
    'two parts': `${header64}.${payload64}`,
    'four parts': `${good}.x`,
    'five parts': `${good}.x.y`,
    'no header': `.${payload64}.${signature64}`,
    'no signature': `${header64}.${payload64}.`,
    'a space before it': ` ${good}`,
    'a line end behind it': `${good}\n`,
    'padding behind it': `${good}==`,
    'the other base64': good.replaceAll('-', '+').replaceAll('_', '/').replace(/^/, '+'),
    'a NUL inside': `${header64}.\0${payload64}.${signature64}`,
    'letters beyond ASCII': `${header64}.é${payload64}.${signature64}`,
    'a signature of another key': stranger.token(goodHeader, goodClaims),
    'a signature of other claims': `${header64}.${payload64}.${keys.token(goodHeader, { ...goodClaims, ep: 2 }).split('.')[2]}`,
    'another payload under the signature': `${header64}.${keys.token(goodHeader, { ...goodClaims, rolekey: 'admin' }).split('.')[1]}.${signature64}`,
    'a signature in DER': `${header64}.${payload64}.${der.toString('base64url')}`,
    'a signature of zeros': `${header64}.${payload64}.${Buffer.alloc(64).toString('base64url')}`,
    'a signature cut short': good.slice(0, -4),
    'a signature with more behind it': `${good}AAAA`,
    'a signature spelt in another way': `${header64}.${payload64}.${respelt}`,
    'a payload spelt in another way': `${header64}.${payload64}A.${signature64}`,
    'an HMAC with the public key': hmac(keys.publicKey.export({ format: 'pem', type: 'spki' })),
    'an HMAC with nothing': hmac(''),
  };
  it.each(Object.entries(texts))('when it is %s', async (_what, text) => {
    await expectMalformed(text);
  });

  it('when it is longer than 4096 characters, and no key is looked up for it', async () => {
    const asked: string[] = [];
    const find = (kid: string) => void asked.push(kid);
    const watched = createTokenVerifier({
      keys: { ...keys.ring, find },
      maxLifetimeSeconds: 86_400,
      now: () => nowSeconds * 1000,
    });
    const long = keys.token(goodHeader, { ...goodClaims, nice: 'x'.repeat(4096) });
    await expect(watched(long)).rejects.toMatchObject({ kind: 'token_malformed' });
    expect(asked).toEqual([]);
  });

  it('when any one character of a token is changed', async () => {
    const changed = Array.from(
      good,
      (character, at) => good.slice(0, at) + (character === 'A' ? 'B' : 'A') + good.slice(at + 1),
    );
    for (const text of changed) await expectMalformed(text);
  });
});

describe('a token is verified', () => {
  it('and gives its key and its claims', async () => {
    expect(await verify(good)).toEqual({ kid: 'k1', claims: goodClaims });
  });

  const edges: Record<string, object> = {
    'an issue time at the leeway': { iat: nowSeconds + 5, exp: nowSeconds + 3600 },
    'the longest life': { exp: goodClaims.iat + 86_400 },
    'the shortest life': { exp: goodClaims.iat + 1 },
    'the largest ids': { identity: 2 ** 53 - 1, sub: String(2 ** 53 - 1), roleid: 2 ** 53 - 1 },
    'a username of 64 characters': { nice: '名'.repeat(64) },
    'a first epoch': { ep: 0 },
  };
  it.each(Object.entries(edges))('with %s', async (_what, change) => {
    const claims = { ...goodClaims, ...change };
    expect((await verify(keys.token(goodHeader, claims))).claims).toEqual(claims);
  });
});
