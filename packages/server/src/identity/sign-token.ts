// Issues tokens. Only login is given this (Spec, Authentication 1).
import type { DataScope, TokenClaims } from '@portcullis/contract';
import { CompactSign } from 'jose';
import type { KeyRing } from './keys/key-ring.ts';
import { tokenIssuer } from './verify-token.ts';

/** A user and role in the form that the token payload takes, whichever way the credentials were verified. */
export interface TokenSubject {
  readonly userId: number;
  readonly username: string;
  readonly roleId: number;
  readonly roleKey: string;
  readonly dataScope: DataScope;
  readonly epoch: number;
}

export interface IssuedToken {
  readonly token: string;
  readonly jti: string;
  readonly expiresAt: Date;
}

interface SignerOptions {
  readonly keys: KeyRing;
  readonly lifetimeSeconds: number;
  readonly now: () => number;
  readonly randomBytes: (size: number) => Buffer;
}

export function createTokenSigner({ keys, lifetimeSeconds, now, randomBytes }: SignerOptions) {
  return async (subject: TokenSubject): Promise<IssuedToken> => {
    const iat = Math.floor(now() / 1000);
    const exp = iat + lifetimeSeconds;
    const jti = randomBytes(16).toString('base64url');
    const claims: TokenClaims = {
      identity: subject.userId,
      roleid: subject.roleId,
      rolekey: subject.roleKey,
      nice: subject.username,
      datascope: subject.dataScope,
      sub: String(subject.userId),
      iss: tokenIssuer,
      iat,
      exp,
      jti,
      ep: subject.epoch,
    };
    const { kid, key } = keys.signing;
    const token = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid })
      .sign(key);
    return { token, jti, expiresAt: new Date(exp * 1000) };
  };
}
