// Tokens that the service has issued, or could have, and what a mutator needs to write others.
import { type KeyObject, randomBytes } from 'node:crypto';
import type { Service } from '../../rig/start-service.ts';
import { type Claims, decodeToken, encode, readPublicKeys, type SigningKey } from '../../rig/tokens.ts';
import { signLow } from '../sign-low.ts';

export interface Issued {
  readonly tokens: readonly IssuedToken[];
  readonly key: SigningKey;
  readonly publicKey: KeyObject;
}

export interface IssuedToken {
  readonly text: string;
  readonly username: string;
  readonly header: Claims;
  readonly claims: Claims;
}

const usernames = ['ada', 'carl', 'alba', 'bela', 'gina'] as const;

/** One of a login for every role, and more of them under other ids. */
export async function issueTokens(service: Service): Promise<Issued> {
  const key = await service.signingKey();
  const [publicKey] = await readPublicKeys(service.database);
  if (publicKey === undefined) throw new Error('There is no key.');
  const tokens: IssuedToken[] = [];
  for (const username of usernames) {
    const text = await service.tokenOf(username);
    const { header, claims } = decodeToken(text);
    tokens.push({ text, username, header, claims });
    for (let i = 0; i < 3; i++) {
      const others = { ...claims, jti: randomBytes(16).toString('base64url') };
      const text = signLow(`${encode(header)}.${encode(others)}`, key.privateKey);
      tokens.push({ text, username, header, claims: others });
    }
  }
  return { tokens, key, publicKey };
}
