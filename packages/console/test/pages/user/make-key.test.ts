import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { canMakeKeys, makeKey, readPublicKey } from '../../../src/pages/user/make-key.ts';

const pairs = {
  'P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  Ed25519: generateKeyPairSync('ed25519'),
};

test('makes a key whose public part has nothing of the private one', async () => {
  expect(canMakeKeys()).toBe(true);
  const { publicKey, privateKey } = await makeKey();
  expect(publicKey).toEqual({ kty: 'OKP', crv: 'Ed25519', x: privateKey.x });
  expect(privateKey.d).toMatch(/^[\w-]{43}$/);
});

describe.each(['P-256', 'Ed25519'] as const)('of %s', (curve) => {
  const { publicKey, privateKey } = pairs[curve];
  const jwk = publicKey.export({ format: 'jwk' });

  test('a public key is read, as a JWK and as PEM', async () => {
    const pem = String(publicKey.export({ format: 'pem', type: 'spki' }));
    for (const text of [JSON.stringify({ ...jwk, use: 'sig', kid: 'mine' }), pem, ` \n${pem}`])
      expect(await readPublicKey(text)).toEqual({ key: jwk });
  });

  test('recognises a private key, and refuses it', async () => {
    const pem = String(privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const whole = JSON.stringify(privateKey.export({ format: 'jwk' }));
    for (const text of [pem, whole, JSON.stringify({ account: 'bot', privateKey: {} })])
      expect(await readPublicKey(text)).toEqual({ wrong: 'private' });
  });
});

test.each(['', 'key', '{}', '{"kty":"RSA","n":"AQAB","e":"AQAB"}', '{"kty":"EC","crv":"P-384"}'])(
  '%j is no key',
  async (text) => {
    expect(await readPublicKey(text)).toEqual({ wrong: 'unknown' });
  },
);
