// Signs the JWT assertion that logs a service account in. An assertion is valid for one service, one captcha and one
// minute. It uses only Web Crypto, which browsers and Node provide.
import { ClientError } from '../client-error.ts';
import type { MachineKey } from './machine-key.ts';

/** The answer of `getCaptcha?for=key`. */
export interface TextCaptcha {
  readonly id: string;
  readonly text: string;
}

interface Curve {
  readonly alg: 'ES256' | 'EdDSA';
  readonly parameters: { readonly name: string; readonly namedCurve?: string; readonly hash?: string };
}

const curves: readonly Curve[] = [
  { alg: 'ES256', parameters: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } },
  { alg: 'EdDSA', parameters: { name: 'Ed25519' } },
];
const lifetimeSeconds = 60;

/** Returns the assertion. The login sends it with the captcha's id as `uuid` and its text as `code`. */
export async function signAssertion(
  { account, audience, privateKey }: MachineKey,
  captcha: TextCaptcha,
  now: () => number = Date.now,
): Promise<string> {
  const { subtle } = globalThis.crypto;
  const { key, alg, parameters, jwk } = await importKey(privateKey);
  const kid = await thumbprintOf(jwk);
  const iat = Math.floor(now() / 1000);
  const header = { alg, typ: 'portcullis-login+jwt', kid };
  const jti = encode(globalThis.crypto.getRandomValues(new Uint8Array(16)));
  const times = { iat, exp: iat + lifetimeSeconds };
  const claims = { iss: kid, sub: account, aud: audience, ...times, jti, captcha };
  const content = [header, claims].map((part) => encode(bytesOf(JSON.stringify(part)))).join('.');
  const signature = await subtle.sign(parameters, key, bytesOf(content));
  return `${content}.${encode(new Uint8Array(signature))}`;
}

type Jwk = Readonly<Record<string, unknown>>;

async function importKey(privateKey: MachineKey['privateKey']) {
  const { subtle } = globalThis.crypto;
  for (const curve of curves) {
    const { parameters } = curve;
    try {
      const key =
        typeof privateKey === 'string'
          ? await subtle.importKey('pkcs8', readPem(privateKey), parameters, true, ['sign'])
          : await subtle.importKey('jwk', pick(privateKey), parameters, true, ['sign']);
      return { ...curve, key, jwk: { ...(await subtle.exportKey('jwk', key)) } as Jwk };
    } catch {}
  }
  throw new ClientError('invalid', {}, 'This is no private key of P-256 or Ed25519.');
}

/** Drops members that other tools write, such as the permitted uses of the key. */
function pick({ kty, crv, x, y, d }: Jwk): object {
  return { kty, crv, x, ...(y === undefined ? {} : { y }), d };
}

/** The JWK thumbprint (RFC 7638). */
async function thumbprintOf({ crv, kty, x, y }: Jwk): Promise<string> {
  const members = JSON.stringify(y === undefined ? { crv, kty, x } : { crv, kty, x, y });
  return encode(new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', bytesOf(members))));
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}

function readPem(text: string): Uint8Array<ArrayBuffer> {
  const base64 = text.replace(/-----[A-Z ]+-----|\s/g, '');
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function encode(bytes: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
