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
  kid: Type.String({ description: 'The key id of assertions: the thumbprint of the key (RFC 7638).' }),
  algorithm: Type.Enum(keyAlgorithms),
  name: Type.String(),
  createdAt: moment,
  usedAt: Type.Union([moment, Type.Null()], { description: 'The last login; null if there was none.' }),
});
export type UserKey = Static<typeof UserKey>;

export const listUserKeysEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/users/:id/keys',
  access: 'permission',
  title: 'List the keys of a service account',
  params: IdParams,
  errors: ['account_kind_wrong'],
  reply: dataReply(
    Type.Object({
      items: Type.Array(UserKey),
      audience: Type.Union([Type.String(), Type.Null()], {
        description: 'The audience of assertions; null if keys are disabled.',
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
  errors: ['service_account_keys_disabled', 'account_kind_wrong'],
  reply: dataReply(Type.Object({ id: Id, kid: Type.String() })),
});

export const endUserKeyEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/users/:id/keys/:keyId',
  access: 'permission',
  takesAway: true,
  title: 'Delete a key of a service account, which ends the sessions that it proved',
  params: Type.Object({ ...IdParams.properties, keyId: Id }),
  errors: ['account_kind_wrong'],
  reply: dataReply(Type.Null()),
});

export const serviceAccountEndpoints: readonly Endpoint[] = [
  listUserKeysEndpoint,
  addUserKeyEndpoint,
  endUserKeyEndpoint,
];
