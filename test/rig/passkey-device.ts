// An authenticator in software: it makes passkeys (ES256, without attestation) and signs with them, as a browser would hand
// that on, and lies about whatever a test tells it to.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { PasskeyAssertion, PasskeyRegistration } from '@portcullis/contract';

/** What a browser and an authenticator put into what they say. */
export interface Saying {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
  readonly userHandle?: string;
  readonly userVerified?: boolean;
  readonly counter?: number;
  readonly crossOrigin?: boolean;
  readonly type?: string;
  /** COSE; -7 is what the key is of. */
  readonly algorithm?: number;
  readonly format?: string;
}

export interface PasskeyDevice {
  readonly id: string;
  make(saying: Saying): PasskeyRegistration;
  sign(saying: Saying & { readonly userHandle: string }): PasskeyAssertion;
}

export function createPasskeyDevice(credentialId: Buffer = randomBytes(16)): PasskeyDevice {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = credentialId.toString('base64url');
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const coseKey = (algorithm: number) =>
    cbor(
      new Map<unknown, unknown>([
        [1, 2],
        [3, algorithm],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    );
  return {
    id,
    make(saying) {
      const length = Buffer.from([credentialId.length >> 8, credentialId.length & 0xff]);
      const key = coseKey(saying.algorithm ?? -7);
      const authData = authenticatorData(saying, [Buffer.alloc(16), length, credentialId, key]);
      const attestationObject = cbor(
        new Map<unknown, unknown>([
          ['fmt', saying.format ?? 'none'],
          ['attStmt', new Map()],
          ['authData', authData],
        ]),
      ).toString('base64url');
      const clientDataJSON = clientData('webauthn.create', saying).toString('base64url');
      return { id, rawId: id, type: 'public-key', response: { clientDataJSON, attestationObject } };
    },
    sign(saying) {
      const authData = authenticatorData(saying);
      const client = clientData('webauthn.get', saying);
      const hash = createHash('sha256').update(client).digest();
      const signature = sign('sha256', Buffer.concat([authData, hash]), privateKey);
      return {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle: saying.userHandle,
        },
      };
    },
  };
}

function clientData(type: string, saying: Saying): Buffer {
  const { challenge, origin, crossOrigin = false } = saying;
  return Buffer.from(JSON.stringify({ type: saying.type ?? type, challenge, origin, crossOrigin }));
}

function authenticatorData(
  { rpId, userVerified = true, counter = 0 }: Saying,
  attested: readonly Buffer[] = [],
): Buffer {
  const flags = 0x01 | (userVerified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0);
  const rest = Buffer.alloc(5);
  rest.writeUInt8(flags, 0);
  rest.writeUInt32BE(counter, 1);
  return Buffer.concat([createHash('sha256').update(rpId).digest(), rest, ...attested]);
}

/** As much of CBOR as an attestation needs. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flatMap((pair) => pair.map(cbor))]);
  throw new TypeError('No such CBOR is written here.');
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 0xff]);
}
