// JWT assertion with which a service account logs in (private key JWT, in the spirit of RFC 7523): a separate `typ`, for this
// service, for one captcha, for at most a minute. Every deviation is a refusal.
import { verify } from 'node:crypto';
import type { PublicKey } from '@portcullis/contract';
import { algorithmOf, readPublicKey } from './public-key.ts';

export const assertionType = 'portcullis-login+jwt';
/** The longest time from `iat` to `exp`. */
const longestSeconds = 60;
/** How far the client's clock can be ahead. */
const leewaySeconds = 5;

export interface Assertion {
  readonly kid: string;
  readonly account: string;
  /** The `jti` of the assertion. */
  readonly id: string;
  readonly expiresAt: number;
}

interface Parts {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signed: string;
  readonly signature: Buffer;
}

/** The expected claims, beside the signature. */
export interface Expected {
  readonly audience: string;
  /** The captcha that the login sends; its fields are undefined if the mode skips it and none was sent. */
  readonly captcha: { readonly uuid: string | undefined; readonly code: string | undefined };
  /** Seconds since 1970. */
  readonly now: number;
}

/** The key id in the header, not verified; undefined if the text is no assertion. */
export function readKid(text: string): string | undefined {
  const kid = parse(text)?.header.kid;
  return typeof kid === 'string' ? kid : undefined;
}

export function verifyAssertion(text: string, key: PublicKey, expected: Expected): Assertion | undefined {
  const parts = parse(text);
  if (parts === undefined || !isSignedBy(parts, key)) return undefined;
  return readClaims(parts, expected);
}

function isSignedBy({ header, signed, signature }: Parts, key: PublicKey): boolean {
  const { alg, typ, kid, ...more } = header;
  // No other header is accepted: no key in the assertion (`jwk`), and no critical extension (`crit`).
  if (typ !== assertionType || typeof kid !== 'string' || Object.keys(more).length > 0) return false;
  if (alg !== algorithmOf(key)) return false;
  const publicKey = readPublicKey(key);
  if (publicKey === undefined) return false;
  const hash = alg === 'ES256' ? 'sha256' : null;
  return verify(hash, Buffer.from(signed), { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
}

function readClaims({ header, claims }: Parts, { audience, captcha, now }: Expected): Assertion | undefined {
  const { iss, sub, aud, iat, exp, jti, captcha: signed, ...more } = claims;
  const { id, text, ...further } = recordOf(signed) ?? {};
  const isBound = id === captcha.uuid && text === captcha.code && Object.keys(further).length === 0;
  if (Object.keys(more).length > 0 || !isBound || aud !== audience || iss !== header.kid) return undefined;
  if (!isSeconds(iat) || !isSeconds(exp) || typeof sub !== 'string') return undefined;
  if (iat > now + leewaySeconds || exp <= now || exp <= iat || exp - iat > longestSeconds) return undefined;
  if (typeof jti !== 'string' || !/^[A-Za-z0-9_-]{16,64}$/.test(jti)) return undefined;
  return { kid: String(header.kid), account: sub, id: jti, expiresAt: exp };
}

function parse(text: string): Parts | undefined {
  const [header = '', claims = '', signature = '', ...more] = text.split('.');
  const parts = { header: readJson(header), claims: readJson(claims) };
  if (more.length > 0 || parts.header === undefined || parts.claims === undefined) return undefined;
  const bytes = readBase64url(signature);
  return bytes && ({ ...parts, signed: `${header}.${claims}`, signature: bytes } as Parts);
}

function readJson(part: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = readBase64url(part);
  try {
    return bytes && recordOf(JSON.parse(bytes.toString()));
  } catch {
    return undefined;
  }
}

/** Only the canonical text of the bytes is accepted. */
function readBase64url(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function isSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
