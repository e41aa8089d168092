// Endpoints of the signing keys (JWKS): their public parts for verifiers, and their lifecycle from standby to retired (rotation).
import { Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { pageFields, pageReply } from '../page.ts';
import { dataReply, reply } from '../reply.ts';

/** `standby` has not signed yet, `verifying` no longer signs, and the tokens of a `retired` key are refused. */
export const keyStates = ['standby', 'signing', 'verifying', 'retired'] as const;
export type KeyState = (typeof keyStates)[number];

const KidParams = Type.Object({
  kid: Type.String({
    pattern: '^[a-z0-9]{1,16}$',
    description: 'The id of a key, as the list shows it: at most 16 lowercase letters and digits.',
  }),
});
const nullableTime = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);

/** A JWK Set (RFC 7517); its readers skip the members beside `keys`. */
export const jwksEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/jwks',
  access: 'public',
  title: 'Fetch the public keys',
  reply: reply({
    msg: Type.String(),
    keys: Type.Array(
      Type.Object({
        kty: Type.Literal('EC'),
        crv: Type.Literal('P-256'),
        x: Type.String(),
        y: Type.String(),
        kid: Type.String(),
        alg: Type.Literal('ES256'),
        use: Type.Literal('sig'),
      }),
    ),
  }),
});

export const listKeysEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/keys',
  access: 'permission',
  title: 'List the signing keys, newest first',
  query: Type.Object(pageFields),
  reply: pageReply(
    Type.Object({
      kid: Type.String(),
      state: Type.Enum(keyStates),
      createdAt: Type.String({ format: 'date-time' }),
      deactivatedAt: nullableTime,
      retiredAt: nullableTime,
    }),
  ),
});

export const createKeyEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/keys',
  access: 'permission',
  title: 'Create a standby key',
  reply: dataReply(Type.Object({ kid: Type.String() })),
});

export const activateKeyEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/keys/:kid/activate',
  access: 'permission',
  title: 'Sign with a key from now on',
  params: KidParams,
  reply: dataReply(Type.Null()),
});

export const retireKeyEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/keys/:kid/retire',
  access: 'permission',
  takesAway: true,
  title: 'Retire a key that no live token carries',
  params: KidParams,
  reply: dataReply(Type.Null()),
});

export const emergencyRetireKeyEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/keys/:kid/emergency-retire',
  access: 'permission',
  takesAway: true,
  title: 'Retire a key at once, and end the sessions of its tokens',
  params: KidParams,
  reply: dataReply(Type.Null()),
});

export const keyEndpoints: readonly Endpoint[] = [
  jwksEndpoint,
  listKeysEndpoint,
  createKeyEndpoint,
  activateKeyEndpoint,
  retireKeyEndpoint,
  emergencyRetireKeyEndpoint,
];
