// Token issuer: signs an access token (JWT) and stores its session. Only login gets this function (Spec, Authentication 1). The
// lifetime of a session is absolute: there is no idle timeout.

import { type Account, AppError, type TokenClaims } from '@portcullis/contract';
import { toCanonicalSignature, tokenIssuer } from '@portcullis/gate';
import { CompactSign } from 'jose';
import type { KeyRing } from '../keys/key-ring.ts';
import type { Admission } from '../login/throttle/throttle.ts';
import type { NewSession, SessionProof } from './session-store.ts';

export interface TokenOrigin {
  readonly ip: string;
  readonly userAgent: string | undefined;
}

interface IssuerOptions {
  readonly keys: Pick<KeyRing, 'getSigningKey'>;
  /** An instance without a lease can have the wrong time, and does not know the current key. */
  readonly lease: { isLive(): boolean };
  readonly remember: (session: NewSession, admitted?: Admission) => Promise<void>;
  /** Whether sessions store their IP address and user agent: not if the login log is off. */
  readonly isOriginKept: boolean;
  readonly lifetimeSeconds: number;
  readonly now: () => number;
  readonly randomBytes: (size: number) => Buffer;
}

/** 128 random bits, generated again if the id begins with a dash: `portcullis sessions end` would read it as an option. */
export function generateTokenId(randomBytes: (size: number) => Buffer): string {
  const id = randomBytes(16).toString('base64url');
  return id.startsWith('-') ? generateTokenId(randomBytes) : id;
}

export function createTokenIssuer(options: IssuerOptions) {
  const { keys, lease, remember, isOriginKept, lifetimeSeconds, now, randomBytes } = options;
  return async (account: Account, origin: TokenOrigin, proof?: SessionProof, admitted?: Admission) => {
    if (!lease.isLive()) throw new AppError('unavailable');
    const iat = Math.floor(now() / 1000);
    const exp = iat + Math.min(lifetimeSeconds, proof?.lifetimeSeconds ?? lifetimeSeconds);
    const jti = generateTokenId(randomBytes);
    const claims: TokenClaims = {
      identity: account.userId,
      roleid: account.roleId,
      rolekey: account.roleKey,
      nice: account.username,
      datascope: account.dataScope,
      sub: String(account.userId),
      iss: tokenIssuer,
      iat,
      exp,
      jti,
      ep: account.epoch,
      ...(account.passwordDue === undefined ? {} : { due: account.passwordDue }),
    };
    const { kid, key } = await keys.getSigningKey();
    const signed = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid })
      .sign(key);
    const token = toCanonicalSignature(signed);
    const expiresAt = new Date(exp * 1000);
    const session = { jti, kid, account, proof, issuedAt: new Date(iat * 1000), expiresAt };
    const { ip, userAgent } = origin;
    await remember(isOriginKept ? { ...session, ip, userAgent } : session, admitted);
    return { token, jti, expiresAt };
  };
}
