// T01 to T03: what an attacker writes into `alg`, and signs with.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  attach,
  type Forgery,
  forge,
  type Sign,
  signedBy,
  signedByChance,
  signedByHmac,
  type Target,
  unsigned,
} from './forge.ts';

/** All 16 ways to write the four letters. */
const spellingsOfNone = Array.from({ length: 16 }, (_, bits) =>
  [...'none'].map((letter, at) => ((bits >> at) & 1 ? letter.toUpperCase() : letter)).join(''),
);

const noAlgorithms = ['', null, undefined, 0, 256, true, [], ['ES256'], {}, { alg: 'ES256' }];
const nearlyOurs = ['es256', 'Es256', 'ES256 ', ' ES256', 'ES256\u0000', 'ES256\n', 'ES-256', 'ECDSA', 'ES'];

/** No algorithm, one of another type, and ours written otherwise; even where the real key has signed. */
export function algorithmsOfNothing({ header, claims, privateKey, publicKey }: Target): Forgery[] {
  const pem = publicKey.export({ format: 'pem', type: 'spki' });
  const signatures: Record<string, Sign> = {
    'no signature': unsigned,
    'an HMAC': signedByHmac('sha256', Buffer.from(pem)),
    'a random signature': signedByChance,
    'the real signature': signedBy(privateKey),
  };
  return [...spellingsOfNone, ...noAlgorithms, ...nearlyOurs].flatMap((alg) =>
    Object.entries(signatures).map(([kind, signature]) => ({
      name: `alg ${JSON.stringify(alg)} with ${kind}`,
      token: forge({ ...header, alg }, claims, signature),
    })),
  );
}

/** The public key as a text or as bytes, taken for the secret of an HMAC (CVE-2015-9235, CVE-2023-48223, CVE-2026-34950). */
export function publicKeyAsSecret({ header, claims, publicKey }: Target): Forgery[] {
  const { kty, crv, x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const [left, right] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  const odd = (right.at(-1) ?? 0) & 1;
  const forms: Record<string, Buffer> = {
    PEM: Buffer.from(publicKey.export({ format: 'pem', type: 'spki' })),
    'PEM without its last line break': Buffer.from(
      String(publicKey.export({ format: 'pem', type: 'spki' })).trim(),
    ),
    DER: publicKey.export({ format: 'der', type: 'spki' }),
    'the JWK': Buffer.from(JSON.stringify({ kty, crv, x, y })),
    'the JWK with alg': Buffer.from(JSON.stringify({ kty, crv, x, y, alg: 'ES256', use: 'sig' })),
    'the point': Buffer.concat([Buffer.of(4), left, right]),
    'the compressed point': Buffer.concat([Buffer.of(2 + odd), left]),
    'x and y': Buffer.concat([left, right]),
    nothing: Buffer.alloc(0),
  };
  const around: Record<string, [string, string]> = {
    'as it is': ['', ''],
    'after a line break': ['\n', ''],
    'after a space': [' ', ''],
    'after a tab': ['\t', ''],
    'after a BOM': ['\uFEFF', ''],
    'before a line break': ['', '\n'],
  };
  return Object.entries(forms).flatMap(([form, bytes]) =>
    Object.entries(around).flatMap(([place, [before, after]]) => {
      const secret = Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
      return ['256', '384', '512'].flatMap((bits) =>
        [`HS${bits}`, 'ES256'].map((alg) => ({
          name: `HMAC-SHA${bits} of ${form}, ${place}, as ${alg}`,
          token: forge({ ...header, alg }, claims, signedByHmac(`sha${bits}`, secret)),
        })),
      );
    }),
  );
}

/** The real key under another algorithm's name or with another hash, and other kinds of key under ours. */
export function keyOfOneAlgorithm({ header, claims, privateKey }: Target): Forgery[] {
  const hashes = ['sha256', 'sha384', 'sha512', 'sha1'];
  const names = ['ES384', 'ES512', 'ES256K', 'RS256', 'PS256', 'HS256', 'EdDSA', 'Ed25519', 'ECDH-ES'];
  const named = names.flatMap((alg) =>
    hashes.map((hash) => ({
      name: `the real key with ${hash}, as ${alg}`,
      token: forge({ ...header, alg }, claims, signedBy(privateKey, { hash })),
    })),
  );
  const hashed = hashes.slice(1).map((hash) => ({
    name: `the real key with ${hash}, as ES256`,
    token: forge(header, claims, signedBy(privateKey, { hash })),
  }));
  const foreign = Object.entries(foreignKeys()).flatMap(([kind, signature]) =>
    ['ES256', ...names].map((alg) => ({
      name: `a key of ${kind}, as ${alg}`,
      token: forge({ ...header, alg }, claims, signature),
    })),
  );
  const signed = attach(
    forge(header, claims, unsigned).slice(0, -1),
    signedBy(privateKey, { hash: 'sha384' }),
  );
  return [...named, ...hashed, ...foreign, { name: 'ES256 over another hash', token: signed }];
}

function foreignKeys(): Record<string, Sign> {
  const curve = (namedCurve: string): KeyObject => generateKeyPairSync('ec', { namedCurve }).privateKey;
  const ed25519 = generateKeyPairSync('ed25519').privateKey;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  return {
    'another pair on P-256': signedBy(curve('P-256')),
    'P-384': signedBy(curve('P-384'), { hash: 'sha384' }),
    'P-384 with SHA-256': signedBy(curve('P-384')),
    'P-521': signedBy(curve('P-521'), { hash: 'sha512' }),
    secp256k1: signedBy(curve('secp256k1')),
    Ed25519: (content) => sign(null, content, ed25519),
    RSA: (content) => sign('sha256', content, rsa),
  };
}
