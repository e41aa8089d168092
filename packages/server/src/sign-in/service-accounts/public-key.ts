// Public keys of service accounts (JWK): their algorithm, and their thumbprint, which is the `kid` of an assertion.
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import type { KeyAlgorithm, PublicKey } from '@portcullis/contract';

/** Only the key decides: the `alg` of an assertion is compared with the result (algorithm confusion). */
export function algorithmOf({ kty }: PublicKey): KeyAlgorithm {
  return kty === 'EC' ? 'ES256' : 'EdDSA';
}

/** RFC 7638: the required members in the order of their names. */
export function thumbprintOf(key: PublicKey): string {
  const { crv, kty, x } = key;
  const members = key.kty === 'EC' ? { crv, kty, x, y: key.y } : { crv, kty, x };
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url');
}

/** Undefined if it is no point of its curve. */
export function readPublicKey(key: PublicKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: { ...key }, format: 'jwk' });
  } catch {
    return undefined;
  }
}
