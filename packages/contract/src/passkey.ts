// Passkeys as a browser's `navigator.credentials` takes and gives them, in the JSON of WebAuthn Level 3. Other fields that a
// browser adds are not read.
import { type Static, Type } from 'typebox';

const base64url = (longest: number) =>
  Type.String({ pattern: `^[A-Za-z0-9_-]{1,${longest}}$`, examples: ['AAAA'] });
/** At most 1023 bytes. */
const CredentialId = base64url(1364);
const ClientData = base64url(2048);
const PublicKey = Type.Literal('public-key');
const credential = { id: CredentialId, rawId: CredentialId, type: PublicKey };

/** The result of `navigator.credentials.get`, by `toJSON()`. */
export const PasskeyAssertion = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: ClientData,
    authenticatorData: base64url(2048),
    signature: base64url(1024),
    userHandle: base64url(86),
  }),
});
export type PasskeyAssertion = Static<typeof PasskeyAssertion>;

/** The result of `navigator.credentials.create`, by `toJSON()`. */
export const PasskeyRegistration = Type.Object({
  ...credential,
  response: Type.Object({ clientDataJSON: ClientData, attestationObject: base64url(4096) }),
});
export type PasskeyRegistration = Static<typeof PasskeyRegistration>;

/** The name by which its owner recognises a factor; nothing invisible. */
export const FactorName = Type.String({ pattern: '^\\P{C}{1,64}$', examples: ['My laptop'] });

/** A new passkey, and the name that its owner gives it. */
export const NewPasskey = Type.Object(
  { response: PasskeyRegistration, name: FactorName },
  { additionalProperties: false },
);
export type NewPasskey = Static<typeof NewPasskey>;

const milliseconds = Type.Integer({ minimum: 0 });
const UserVerification = Type.Literal('required');

/** For `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const PasskeyRequest = Type.Object({
  challenge: Type.String(),
  rpId: Type.String(),
  userVerification: UserVerification,
  timeout: milliseconds,
});
export type PasskeyRequest = Static<typeof PasskeyRequest>;

/** For `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const PasskeyCreation = Type.Object({
  rp: Type.Object({ id: Type.String(), name: Type.String() }),
  user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
  challenge: Type.String(),
  pubKeyCredParams: Type.Array(Type.Object({ type: PublicKey, alg: Type.Integer() })),
  timeout: milliseconds,
  excludeCredentials: Type.Array(Type.Object({ id: Type.String(), type: PublicKey })),
  authenticatorSelection: Type.Object({
    residentKey: Type.Literal('required'),
    requireResidentKey: Type.Literal(true),
    userVerification: UserVerification,
  }),
  attestation: Type.Literal('none'),
});
export type PasskeyCreation = Static<typeof PasskeyCreation>;
