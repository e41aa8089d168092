// Creates a signing key: a new P-256 key pair, whose private key is encrypted before it is stored.

import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { PublicJwk } from '@portcullis/gate';
import { encrypt } from '../../base/secrets/encryption.ts';

export interface KeyRow {
  readonly kid: string;
  readonly publicJwk: PublicJwk;
  readonly sealedPrivate: Buffer;
}

export function createKeyRow(sealingKey: Buffer): KeyRow {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomBytes(8).toString('hex');
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  return { kid, publicJwk: publicJwkOf(publicKey), sealedPrivate: encrypt(secret, sealingKey, kid) };
}

function publicJwkOf(key: KeyObject): PublicJwk {
  const { kty, crv, x, y } = key.export({ format: 'jwk' });
  if (kty !== 'EC' || crv !== 'P-256' || x === undefined || y === undefined)
    throw new Error('The key pair is not on P-256.');
  return { kty, crv, x, y };
}
