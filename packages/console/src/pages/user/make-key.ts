// Generates a key pair of a service account in the browser, or parses a pasted key. The private key is only saved as a
// file by the user and sent nowhere.

export interface PublicKey {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y?: string;
}

export interface MadeKey {
  readonly publicKey: PublicKey;
  readonly privateKey: JsonWebKey;
}

const curves = [
  { name: 'Ed25519', parameters: { name: 'Ed25519' } },
  { name: 'P-256', parameters: { name: 'ECDSA', namedCurve: 'P-256' } },
] as const;

/** Browsers support it only on HTTPS pages and on localhost. */
export function canMakeKeys(): boolean {
  return globalThis.crypto?.subtle !== undefined;
}

/** Ed25519, or P-256 if the browser does not support Ed25519. */
export async function makeKey(): Promise<MadeKey> {
  let failure: unknown;
  for (const { parameters } of curves) {
    try {
      const pair = (await crypto.subtle.generateKey(parameters, true, ['sign', 'verify'])) as CryptoKeyPair;
      const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', pair.privateKey);
      const privateKey = { kty, crv, x, ...(y === undefined ? {} : { y }), d } as JsonWebKey;
      return { privateKey, publicKey: publicPartOf(privateKey) };
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

export type PastedKey = { readonly key: PublicKey } | { readonly wrong: 'private' | 'unknown' };

/** A JWK or PEM. A private key is rejected without parsing it further. */
export async function readPublicKey(text: string): Promise<PastedKey> {
  if (/PRIVATE KEY|"d"\s*:|"privateKey"/.test(text)) return { wrong: 'private' };
  for (const { name, parameters } of curves) {
    try {
      const key = text.trimStart().startsWith('{')
        ? await crypto.subtle.importKey('jwk', readJwk(text, name), parameters, true, ['verify'])
        : await crypto.subtle.importKey('spki', readPem(text), parameters, true, ['verify']);
      return { key: publicPartOf(await crypto.subtle.exportKey('jwk', key)) };
    } catch {}
  }
  return { wrong: 'unknown' };
}

function readJwk(text: string, curve: string): JsonWebKey {
  const { kty, crv, x, y } = JSON.parse(text) as JsonWebKey;
  if (crv !== curve) throw new Error('This is a key of another curve.');
  return { kty, crv, x, ...(y === undefined ? {} : { y }) } as JsonWebKey;
}

function readPem(text: string): Uint8Array<ArrayBuffer> {
  const base64 = text.replace(/-----[A-Z ]+-----|\s/g, '');
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function publicPartOf({ kty = '', crv = '', x = '', y }: JsonWebKey): PublicKey {
  return { kty, crv, x, ...(y === undefined ? {} : { y }) };
}
