// Reads, signs, forges and finds tokens with nothing but node:crypto, so that the product's own library is not
// the judge of the tokens that it issued.
import {
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import type { Database } from './create-database.ts';
import { sealingKey } from './master-key.ts';

export type Claims = Record<string, unknown>;

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

/** The key that the server signs with, unsealed by the master key that the suite configured. */
export async function readSigningKey(database: Database, { dev }: { dev: boolean }): Promise<SigningKey> {
  return await readKey(database, 'dev = $1 and signing', dev);
}

/** A key, whether or not it signs. */
export async function readKeyOf(database: Database, kid: string): Promise<SigningKey> {
  return await readKey(database, 'kid = $1', kid);
}

async function readKey(database: Database, condition: string, value: unknown): Promise<SigningKey> {
  const [row] = await database.query<{ kid: string; sealed_private: Buffer }>(
    `select kid, sealed_private from keys where ${condition}`,
    [value],
  );
  if (row === undefined) throw new Error('There is no such key.');
  const sealed = row.sealed_private;
  const decipher = createDecipheriv('aes-256-gcm', sealingKey, sealed.subarray(0, 12))
    .setAAD(Buffer.from(row.kid))
    .setAuthTag(sealed.subarray(-16));
  const key = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
  return { kid: row.kid, privateKey: createPrivateKey({ key, format: 'der', type: 'pkcs8' }) };
}

export function signToken(claims: Claims, { kid, privateKey }: SigningKey): string {
  const content = `${encode({ alg: 'ES256', typ: 'JWT', kid })}.${encode(claims)}`;
  const signOnce = () => sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  let signature = signOnce();
  // Of the two signatures that ECDSA has for one, the service takes the one with the lower s.
  while (signature.readUInt8(32) >= 0x7f) signature = signOnce();
  return `${content}.${signature.toString('base64url')}`;
}

/** The same claims under a fresh `jti`, issued two hours ago and over since one. */
export function expiredClaims(claims: Claims, now = Date.now()): Claims {
  const at = Math.floor(now / 1000);
  return { ...claims, iat: at - 7200, exp: at - 3600, jti: randomBytes(16).toString('base64url') };
}

export function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

export function decodeToken(token: string): { header: Claims; claims: Claims } {
  const [header, claims] = token
    .split('.', 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Claims);
  if (header === undefined || claims === undefined) throw new Error('This is no token.');
  return { header, claims };
}

/** The public keys of every mode: a token of either is a token. */
export async function readPublicKeys(database: Database): Promise<KeyObject[]> {
  const rows = await database.query<{ public_jwk: JsonWebKey }>('select public_jwk from keys');
  return rows.map(({ public_jwk }) => createPublicKey({ format: 'jwk', key: public_jwk }));
}

const tokenLike = /[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}/g;

/** Everything in the text that one of the keys has signed. */
export function findTokens(text: string, publicKeys: readonly KeyObject[]): string[] {
  return [...text.matchAll(tokenLike)]
    .map(([candidate]) => candidate)
    .filter((candidate) => publicKeys.some((key) => isSignedBy(candidate, key)));
}

function isSignedBy(token: string, key: KeyObject): boolean {
  const content = Buffer.from(token.slice(0, token.lastIndexOf('.')));
  const signature = Buffer.from(token.slice(token.lastIndexOf('.') + 1), 'base64url');
  return verify('sha256', content, { key, dsaEncoding: 'ieee-p1363' }, signature);
}
