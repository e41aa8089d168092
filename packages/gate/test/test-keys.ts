// A real key pair as a key ring, and tokens signed with it: well-formed ones and any that a test makes up.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { TokenClaims } from '@portcullis/contract';
import { toCanonicalSignature } from '../src/token/canonical-signature.ts';
import type { VerifyingKeys } from '../src/token/verifying-keys.ts';

export const nowSeconds = 1_800_000_000;
export const goodHeader = { alg: 'ES256', typ: 'JWT', kid: 'k1' };
export const goodClaims: TokenClaims = {
  identity: 7,
  roleid: 2,
  rolekey: 'editor',
  nice: 'mei',
  datascope: '3',
  sub: '7',
  iss: 'portcullis',
  iat: nowSeconds - 60,
  exp: nowSeconds + 3540,
  jti: 'AAAAAAAAAAAAAAAAAAAAAA',
  ep: 1,
};

export interface TestKeys {
  readonly ring: Pick<VerifyingKeys, 'find' | 'isRetired'> & {
    getSigningKey(): Promise<{ kid: string; key: KeyObject }>;
  };
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  /** Signs any header and payload, given as values or as their exact text. */
  token(header: unknown, payload: unknown): string;
}

export function createTestKeys(kid = 'k1'): TestKeys {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    ring: {
      find: (asked) => (asked === kid ? publicKey : undefined),
      isRetired: () => false,
      getSigningKey: async () => ({ kid, key: privateKey }),
    },
    publicKey,
    privateKey,
    token(header, payload) {
      const input = `${encode(header)}.${encode(payload)}`;
      const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return toCanonicalSignature(`${input}.${signature.toString('base64url')}`);
    },
  };
}

function encode(part: unknown): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}
