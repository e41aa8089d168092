// The key classes of the public vectors for JWK, where they could reach us: as rows of `keys` that an attacker wrote past
// the service. None of them may make it accept a token.
import { generateKeyPairSync, type JsonWebKey, randomBytes, sign } from 'node:crypto';
import type { Database } from '../../rig/create-database.ts';
import { type Forgery, forge, type Sign, signedBy, signedByHmac, type Target } from './forge.ts';

export interface StoredKey {
  readonly name: string;
  readonly kid: string;
  readonly jwk: JsonWebKey;
  readonly signature: Sign;
}

/** Sound keys that are not for ES256: the service starts beside them. */
export function keysOfOtherKinds(): StoredKey[] {
  const curve = (namedCurve: string, hash: string) => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
    return stored(namedCurve, publicKey.export({ format: 'jwk' }), signedBy(privateKey, { hash }));
  };
  const ed25519 = generateKeyPairSync('ed25519');
  return [
    curve('P-384', 'sha384'),
    curve('P-384', 'sha256'),
    curve('P-521', 'sha512'),
    curve('secp256k1', 'sha256'),
    stored('Ed25519', ed25519.publicKey.export({ format: 'jwk' }), (content) =>
      sign(null, content, ed25519.privateKey),
    ),
  ];
}

/** Keys that are none: points that are not on the curve, other types, missing parts. No instance starts on them. */
export function brokenKeys(): StoredKey[] {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const zero = Buffer.alloc(32).toString('base64url');
  const secret = randomBytes(32);
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const point = (name: string, changed: JsonWebKey) =>
    stored(name, { kty: 'EC', crv: 'P-256', x, y, ...changed }, signedBy(privateKey));
  return [
    point('a point off the curve', { y: x }),
    point('the point at zero', { x: zero, y: zero }),
    point('x alone', { y: '' }),
    point('another curve by name', { crv: 'P-384' }),
    point('no curve', { crv: '' }),
    point('an unknown type', { kty: 'ec' }),
    stored('a secret', { kty: 'oct', k: secret.toString('base64url') }, signedByHmac('sha256', secret)),
    stored('RSA', rsa.publicKey.export({ format: 'jwk' }), (content) =>
      sign('sha256', content, rsa.privateKey),
    ),
  ];
}

function stored(name: string, jwk: JsonWebKey, signature: Sign): StoredKey {
  return { name, kid: randomBytes(8).toString('hex'), jwk, signature };
}

export async function storeKey(database: Database, { kid, jwk }: StoredKey): Promise<void> {
  await database.query(
    `insert into keys (kid, dev, public_jwk, sealed_private, signing) values ($1, false, $2, $3, false)`,
    [kid, JSON.stringify(jwk), randomBytes(100)],
  );
}

/** Tokens of a stored key, under our algorithm and under its own. */
export function tokensOf({ claims }: Target, { name, kid, signature }: StoredKey): Forgery[] {
  return ['ES256', 'ES384', 'ES512', 'ES256K', 'EdDSA', 'HS256', 'none'].map((alg) => ({
    name: `${name}, as ${alg}`,
    token: forge({ alg, typ: 'JWT', kid }, claims, signature),
  }));
}
