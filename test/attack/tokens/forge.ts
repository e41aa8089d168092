// Makes tokens that were never issued: any header, any payload, any signature. A text is used unchanged, so that a case
// can spell its own JSON.
import { createHmac, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { Service } from '../../rig/start-service.ts';
import { type Claims, encode } from '../../rig/tokens.ts';
import { withLowerS } from './p256.ts';

/** What an attacker would like to have, and the suite has: the real key, and the claims of an administrator. */
export interface Target {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly header: Claims;
  readonly claims: Claims;
}

/** A token that must be refused, and what is wrong with it. */
export interface Forgery {
  readonly name: string;
  readonly token: string;
}

export type Sign = (content: Buffer) => Buffer;

export async function targetOf(service: Service): Promise<Target> {
  const { kid, privateKey } = await service.signingKey();
  const claims = await service.claimsOf('ada');
  const header = { alg: 'ES256', typ: 'JWT', kid };
  return { kid, privateKey, publicKey: createPublicKey(privateKey), header, claims };
}

export function forge(header: unknown, payload: unknown, signature: Sign): string {
  return attach(`${encodePart(header)}.${encodePart(payload)}`, signature);
}

export function attach(content: string, signature: Sign): string {
  return `${content}.${signature(Buffer.from(content)).toString('base64url')}`;
}

function encodePart(part: unknown): string {
  return typeof part === 'string' || Buffer.isBuffer(part)
    ? Buffer.from(part).toString('base64url')
    : encode(part);
}

export const unsigned: Sign = () => Buffer.alloc(0);
export const signedByChance: Sign = () => randomBytes(64);

/** Of the two signatures there always are, the one that no verifier could refuse. */
export function signedBy(
  privateKey: KeyObject,
  { hash = 'sha256', dsaEncoding = 'ieee-p1363' }: { hash?: string; dsaEncoding?: 'ieee-p1363' | 'der' } = {},
): Sign {
  const isOurs = privateKey.asymmetricKeyDetails?.namedCurve === 'prime256v1' && dsaEncoding === 'ieee-p1363';
  return (content) => {
    const signature = sign(hash, content, { key: privateKey, dsaEncoding });
    return isOurs ? withLowerS(signature) : signature;
  };
}

export function signedByHmac(hash: string, secret: Buffer): Sign {
  return (content) => createHmac(hash, secret).update(content).digest();
}

/** The signature of one thing beside another. */
export function always(signature: Buffer): Sign {
  return () => signature;
}
