import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { expect, it } from 'vitest';
import { hasCanonicalSignature, toCanonicalSignature } from '../../src/token/canonical-signature.ts';

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const withS = (s: bigint) => Buffer.from('01'.repeat(32) + s.toString(16).padStart(64, '0'), 'hex');

it.each([
  [1n, true],
  [order / 2n, true],
  [order / 2n + 1n, false],
  [order - 1n, false],
])('an s of %i is the lower one: %s', (s, isLower) => {
  expect(hasCanonicalSignature(withS(s))).toBe(isLower);
});

it('a signature of another length has no s', () => {
  for (const length of [0, 32, 63, 65, 96]) expect(hasCanonicalSignature(Buffer.alloc(length))).toBe(false);
});

it('a token with the lower s verifies as before, and has one text', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = { key: createPublicKey(privateKey), dsaEncoding: 'ieee-p1363' } as const;
  for (let count = 0; count < 100; count += 1) {
    const signature = sign('sha256', Buffer.from('a.b'), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    const token = toCanonicalSignature(`a.b.${signature.toString('base64url')}`);
    const lowered = Buffer.from(token.slice('a.b.'.length), 'base64url');
    expect(hasCanonicalSignature(lowered)).toBe(true);
    expect(verify('sha256', Buffer.from('a.b'), key, lowered)).toBe(true);
    expect(toCanonicalSignature(token)).toBe(token);
  }
});
