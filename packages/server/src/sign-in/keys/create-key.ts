// Creates a signing key: a new P-256 key pair, whose private key is encrypted before it is stored.

import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { PublicJwk } from '@portcullis/gate';
import { createSealedSecrets } from '../../base/secrets/sealed-secrets.ts';

export interface KeyRow {
  readonly kid: string;
  readonly publicJwk: PublicJwk;
  readonly sealedPrivate: Buffer;
}

export function createKeyRow(sealingKey: Buffer): KeyRow {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomBytes(8).toString('hex');
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  const sealedPrivate = createSealedSecrets('signingKey', [sealingKey]).seal(kid, secret);
  return { kid, publicJwk: publicJwkOf(publicKey), sealedPrivate };
}

function publicJwkOf(key: KeyObject): PublicJwk {
  const { kty, crv, x, y } = key.export({ format: 'jwk' });
  if (kty !== 'EC' || crv !== 'P-256' || x === undefined || y === undefined)
    throw new Error('The key pair is not on P-256.');
  return { kty, crv, x, y };
}
