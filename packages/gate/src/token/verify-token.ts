// JWT verification: checks the form, the ES256 signature and the claims of a token, and returns the claims. Cheap checks
// come first. The identity check decides about revocation, epoch and role.
import { AppError, TokenClaims } from '@portcullis/contract';
import { compactVerify } from 'jose';
import { compileSchema } from '../compile-schema.ts';
import { hasCanonicalSignature } from './canonical-signature.ts';
import type { VerifyingKeys } from './verifying-keys.ts';

export const tokenIssuer = 'portcullis';
const maxTokenLength = 4096;
const maxClockLeadSeconds = 5;
const shape = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

export interface VerifiedToken {
  readonly kid: string;
  readonly claims: TokenClaims;
}

interface VerifierOptions {
  readonly keys: Pick<VerifyingKeys, 'find' | 'isRetired'>;
  readonly maxLifetimeSeconds: number;
  readonly now: () => number;
}

export type VerifyToken = (token: string) => Promise<VerifiedToken>;

export function createTokenVerifier({ keys, maxLifetimeSeconds, now }: VerifierOptions): VerifyToken {
  const isTokenClaims = compileSchema(TokenClaims);
  return async (token) => {
    const { kid, payload } = parseToken(token);
    const key = keys.find(kid);
    if (key === undefined) throw new AppError(keys.isRetired(kid) ? 'token_revoked' : 'token_malformed');
    await compactVerify(token, key, { algorithms: ['ES256'] }).catch((cause: unknown) => {
      throw new AppError('token_malformed', { cause });
    });
    if (!isTokenClaims(payload)) throw new AppError('token_malformed');
    checkClaims(payload, maxLifetimeSeconds, now());
    return { kid, claims: payload };
  };
}

function parseToken(token: string): { kid: string; payload: unknown } {
  if (token.length > maxTokenLength || !shape.test(token)) throw new AppError('token_malformed');
  const [header = '', payload = '', signature = ''] = token.split('.');
  const { alg, typ, kid, ...others } = decodeJson(header);
  // Two texts that differ in the last character of the signature can decode to the same bytes.
  const bytes = Buffer.from(signature, 'base64url');
  const isCanonical = bytes.toString('base64url') === signature && hasCanonicalSignature(bytes);
  if (
    !isCanonical ||
    alg !== 'ES256' ||
    typ !== 'JWT' ||
    typeof kid !== 'string' ||
    Object.keys(others).length > 0
  )
    throw new AppError('token_malformed');
  return { kid, payload: decodeJson(payload) };
}

/** Accepts only the form that our signer writes: canonical base64url of canonical JSON, so no repeated member either. */
function decodeJson(part: string): Record<string, unknown> {
  const bytes = Buffer.from(part, 'base64url');
  const text = bytes.toString('utf8');
  const value = parseJson(text);
  const isCanonical = bytes.toString('base64url') === part && JSON.stringify(value) === text;
  if (!isCanonical || typeof value !== 'object' || value === null) throw new AppError('token_malformed');
  return value as Record<string, unknown>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('token_malformed', { cause });
  }
}

function checkClaims(claims: TokenClaims, maxLifetimeSeconds: number, nowMilliseconds: number): void {
  const { iss, sub, identity, iat, exp } = claims;
  const isOurs =
    iss === tokenIssuer &&
    sub === String(identity) &&
    exp > iat &&
    exp - iat <= maxLifetimeSeconds &&
    iat <= nowMilliseconds / 1000 + maxClockLeadSeconds;
  if (!isOurs) throw new AppError('token_malformed');
}
