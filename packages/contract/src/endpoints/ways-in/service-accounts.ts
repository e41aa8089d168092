// Endpoints of the keys of service accounts. Private keys are created where they are used, and never sent.
import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../endpoint.ts';
import { Id, IdParams } from '../../id.ts';
import { FactorName } from '../../passkey.ts';
import { dataReply } from '../../reply.ts';

const closed = { additionalProperties: false } as const;
const moment = Type.String({ format: 'date-time' });
/** 32 bytes in base64url; two bits of its last character are unused. */
const coordinate = Type.String({
  pattern: '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$',
  examples: ['A'.repeat(43)],
});

/** A public key as a JWK, without other members: a key with a private part is refused. */
export const PublicKey = Type.Union([
  Type.Object({ kty: Type.Literal('EC'), crv: Type.Literal('P-256'), x: coordinate, y: coordinate }, closed),
  Type.Object({ kty: Type.Literal('OKP'), crv: Type.Literal('Ed25519'), x: coordinate }, closed),
]);
export type PublicKey = Static<typeof PublicKey>;

export const keyAlgorithms = ['ES256', 'EdDSA'] as const;
export type KeyAlgorithm = (typeof keyAlgorithms)[number];

const UserKey = Type.Object({
  id: Id,
  kid: Type.String({ description: 'What an assertion names it by: its thumbprint (RFC 7638).' }),
  algorithm: Type.Enum(keyAlgorithms),
  name: Type.String(),
  createdAt: moment,
  usedAt: Type.Union([moment, Type.Null()], { description: 'The last login; null where there was none.' }),
});
export type UserKey = Static<typeof UserKey>;

export const listUserKeysEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/users/:id/keys',
  access: 'permission',
  title: 'The keys of a service account',
  params: IdParams,
  errors: ['service_account'],
  reply: dataReply(
    Type.Object({
      items: Type.Array(UserKey),
      audience: Type.Union([Type.String(), Type.Null()], {
        description: 'What assertions must be made for; null where keys are off.',
      }),
    }),
  ),
});

export const addUserKeyEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/users/:id/keys',
  access: 'permission',
  title: 'Add a key to a service account',
  params: IdParams,
  body: Type.Object({ name: FactorName, publicKey: PublicKey }, closed),
  bodyLimitBytes: 4096,
  example: {
    body: {
      name: 'deploy',
      publicKey: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
    },
  },
  errors: ['keys_off', 'service_account'],
  reply: dataReply(Type.Object({ id: Id, kid: Type.String() })),
});

export const endUserKeyEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/users/:id/keys/:keyId',
  access: 'permission',
  takesAway: true,
  title: 'End a key of a service account, which ends the sessions that it proved',
  params: Type.Object({ ...IdParams.properties, keyId: Id }),
  errors: ['service_account'],
  reply: dataReply(Type.Null()),
});

export const serviceAccountEndpoints: readonly Endpoint[] = [
  listUserKeysEndpoint,
  addUserKeyEndpoint,
  endUserKeyEndpoint,
];
