// Issues tokens. Only login is given this (Spec, Authentication 1).
import type { Account, TokenClaims } from '@portcullis/contract';
import { CompactSign } from 'jose';
import type { KeyRing } from './keys/key-ring.ts';
import { tokenIssuer } from './verify-token.ts';

interface SignerOptions {
  readonly keys: KeyRing;
  readonly lifetimeSeconds: number;
  readonly now: () => number;
  readonly randomBytes: (size: number) => Buffer;
}

export function createTokenSigner({ keys, lifetimeSeconds, now, randomBytes }: SignerOptions) {
  return async (account: Account) => {
    const iat = Math.floor(now() / 1000);
    const exp = iat + lifetimeSeconds;
    const jti = randomBytes(16).toString('base64url');
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
    };
    const { kid, key } = keys.signing;
    const token = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid })
      .sign(key);
    return { token, jti, expiresAt: new Date(exp * 1000) };
  };
}
