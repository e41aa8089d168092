import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import type { PublicKey } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { readKid, verifyAssertion } from '../../../src/sign-in/service-accounts/assertion.ts';
import {
  algorithmOf,
  readPublicKey,
  thumbprintOf,
} from '../../../src/sign-in/service-accounts/public-key.ts';

const now = 1_800_000_000;
const captcha = { uuid: 'u'.repeat(22), code: 'c'.repeat(16) };
const expected = { audience: 'https://admin.example.com', captcha, now };
const pairs = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
};
type Algorithm = keyof typeof pairs;
const publicKeyOf = (alg: Algorithm) => pairs[alg].publicKey.export({ format: 'jwk' }) as PublicKey;

function assertionOf(alg: Algorithm, claims: object = {}, header: object = {}): string {
  const parts = [
    { alg, typ: 'portcullis-login+jwt', kid: 'k', ...header },
    {
      iss: 'k',
      sub: 'bot',
      aud: expected.audience,
      iat: now,
      exp: now + 60,
      jti: 'j'.repeat(22),
      captcha: { id: captcha.uuid, text: captcha.code },
      ...claims,
    },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const content = parts.join('.');
  const key = { key: pairs[alg].privateKey, dsaEncoding: 'ieee-p1363' as const };
  return `${content}.${sign(alg === 'ES256' ? 'sha256' : null, Buffer.from(content), key).toString('base64url')}`;
}

describe.each(['ES256', 'EdDSA'] as const)('an assertion of %s', (alg) => {
  const key = publicKeyOf(alg);
  const verify = (claims: object = {}, header: object = {}) =>
    verifyAssertion(assertionOf(alg, claims, header), key, expected);

  it.each<[what: string, claims: object]>([
    ['for a list of audiences', { aud: [expected.audience] }],
    ['for another audience', { aud: 'https://admin.example.com/' }],
    ['of another issuer than its key', { iss: 'other' }],
    ['that has ended', { iat: now - 60, exp: now }],
    ['of more than five seconds ahead', { iat: now + 6 }],
    ['of more than sixty seconds', { exp: now + 61 }],
    ['that ends before it begins', { iat: now + 3, exp: now + 2 }],
    ['without a captcha', { captcha: undefined }],
    ['of another captcha', { captcha: { id: captcha.uuid, text: 'other' } }],
    ['of a captcha with more', { captcha: { id: captcha.uuid, text: captcha.code, more: 1 } }],
    ['whose captcha is a list', { captcha: [captcha.uuid, captcha.code] }],
    ['with a claim more', { role: 'admin' }],
    ['without an account', { sub: 7 }],
    ['with an id that is no text', { jti: 1_234_567_890_123_456 }],
    ['with an id that is too short', { jti: 'j'.repeat(15) }],
    ['with a captcha of another id', { captcha: { id: 'other', text: captcha.code } }],
    ['that begins in half a second', { iat: now + 0.5, exp: now + 60 }],
    ['that ends in half a second', { exp: now + 0.5 }],
    ['that says nothing of its beginning', { iat: undefined }],
  ])('%s is refused', (_what, claims) => {
    expect(verify(claims)).toBeUndefined();
  });

  it.each<[what: string, header: object]>([
    ['of another type', { typ: 'JWT' }],
    ['that names no key', { kid: 7 }],
    ['of no algorithm', { alg: 'none' }],
    ['of the algorithm of other keys', { alg: alg === 'ES256' ? 'EdDSA' : 'ES256' }],
    ['that brings its key', { jwk: key }],
  ])('%s is refused', (_what, header) => {
    expect(verify({}, header)).toBeUndefined();
  });

  it('with a key id and an issuer that are not texts is refused', () => {
    expect(verify({ iss: 7 }, { kid: 7 })).toBeUndefined();
  });

  it('of a key off its curve is refused', () => {
    const x = 'A'.repeat(43);
    const off: PublicKey = { kty: 'EC', crv: 'P-256', x, y: x };
    expect(verifyAssertion(assertionOf('ES256'), off, expected)).toBeUndefined();
  });

  it('with a further part, a further character or other claims under its signature is refused', () => {
    const text = assertionOf(alg);
    const [header, , signature] = text.split('.');
    for (const other of [`${text}.`, `${text}.e30`, `${text}=`, `${header}.e30.${signature}`])
      expect(verifyAssertion(other, key, expected)).toBeUndefined();
  });

  it('of another key is refused', () => {
    const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) as PublicKey;
    expect(verifyAssertion(assertionOf('EdDSA'), other, expected)).toBeUndefined();
  });

  const named = Buffer.from('{"kid":"k"}').toString('base64url');
  it.each([
    '',
    '.',
    '..',
    'a.b.c',
    'e30.e30.',
    'W10.W10.AAAA',
    'bnVsbA.bnVsbA.AAAA',
    'bnVsbA.e30.AAAA',
    `${named}.bnVsbA.AAAA`,
    `${named}.e30.AAAA=`,
    `${named}.e30.AAAA.AAAA`,
  ])('%j is refused, and names no key', (text) => {
    expect(verifyAssertion(text, key, expected)).toBeUndefined();
    expect(readKid(text)).toBeUndefined();
  });

  it('that names its key with what is no text names none', () => {
    expect(readKid(assertionOf(alg, {}, { kid: 7 }))).toBeUndefined();
  });

  it('that is right says whose it is, and up to five seconds ahead is right', () => {
    const right = { kid: 'k', account: 'bot', id: 'j'.repeat(22), expiresAt: now + 60 };
    expect(verify()).toEqual(right);
    expect(verify({ iat: now + 5 })).toEqual(right);
    expect(readKid(assertionOf(alg))).toBe('k');
  });
});

describe('a key', () => {
  it('is called by its thumbprint, as RFC 8037 has it of its example', () => {
    const example: PublicKey = {
      kty: 'OKP',
      crv: 'Ed25519',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    };
    expect(thumbprintOf(example)).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
    const { crv, kty, x, y } = publicKeyOf('ES256') as Extract<PublicKey, { kty: 'EC' }>;
    const text = JSON.stringify({ crv, kty, x, y });
    expect(thumbprintOf(publicKeyOf('ES256'))).toBe(createHash('sha256').update(text).digest('base64url'));
    expect([algorithmOf(example), algorithmOf(publicKeyOf('ES256'))]).toEqual(['EdDSA', 'ES256']);
  });

  it('off its curve is refused', () => {
    const x = 'A'.repeat(43);
    expect(readPublicKey({ kty: 'EC', crv: 'P-256', x, y: x })).toBeUndefined();
  });
});
