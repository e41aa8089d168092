// Verifies WebAuthn registrations and assertions. Every error of the library is a refusal. Attestation is not requested: a
// registration with a certificate, or with a format other than `none` and `packed`, is refused before the library verifies it,
// so that nothing is fetched from addresses in a certificate.
import type { PasskeyAssertion, PasskeyRegistration } from '@portcullis/contract';
import type * as Library from '@simplewebauthn/server';

export interface WebAuthnSettings {
  /** The domain that passkeys are bound to. */
  readonly domain: string;
  readonly origins: readonly string[];
}

/** Ed25519, ES256 and RS256. */
export const algorithms = [-8, -7, -257] as const;

export interface VerifiedRegistration {
  readonly subject: string;
  readonly publicKey: string;
  readonly counter: number;
}

export type WebAuthn = ReturnType<typeof createWebAuthn>;

export function createWebAuthn({ domain, origins }: WebAuthnSettings) {
  const expected = { expectedRPID: domain, expectedOrigin: [...origins], requireUserVerification: true };
  /** Loaded at first use: the import takes a third of a second, and services without passkeys do not need it. */
  const load = (): Promise<typeof Library> => import('@simplewebauthn/server');

  return {
    /** Undefined if the registration is not accepted. */
    async verifyRegistration(
      response: PasskeyRegistration,
      challenge: string,
    ): Promise<VerifiedRegistration | undefined> {
      const { verifyRegistrationResponse } = await load();
      const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
      return await orUndefined(async () => {
        const attestation = decodeAttestationObject(bytesOf(response.response.attestationObject));
        if (isFramed(response) || attestation.get('attStmt').get('x5c') !== undefined) return undefined;
        if (!['none', 'packed'].includes(attestation.get('fmt'))) return undefined;
        const { registrationInfo } = await verifyRegistrationResponse({
          ...expected,
          response: { ...response, clientExtensionResults: {} },
          expectedChallenge: challenge,
          supportedAlgorithmIDs: [...algorithms],
        });
        if (registrationInfo === undefined) return undefined;
        const { id: subject, publicKey, counter } = registrationInfo.credential;
        return { subject, publicKey: Buffer.from(publicKey).toString('base64url'), counter };
      });
    },
    /** The signature counter; undefined if the assertion is not accepted. The caller checks whether the counter grew. */
    async verifyAssertion(
      response: PasskeyAssertion,
      { challenge, publicKey }: { readonly challenge: string; readonly publicKey: string },
    ): Promise<number | undefined> {
      const { verifyAuthenticationResponse } = await load();
      return await orUndefined(async () => {
        if (isFramed(response)) return undefined;
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          ...expected,
          response: { ...response, clientExtensionResults: {} },
          expectedChallenge: challenge,
          // With a stored counter of 0, the library accepts every counter.
          credential: { id: response.id, publicKey: bytesOf(publicKey), counter: 0 },
        });
        return verified ? authenticationInfo.newCounter : undefined;
      });
    },
  };
}

async function orUndefined<T>(verify: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await verify();
  } catch {
    return undefined;
  }
}

/** Whether a page of another site showed our page in a frame (clickjacking). */
function isFramed({ response }: { readonly response: { readonly clientDataJSON: string } }): boolean {
  const text = Buffer.from(response.clientDataJSON, 'base64url').toString();
  return (JSON.parse(text) as { crossOrigin?: unknown }).crossOrigin === true;
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64url'));
}
