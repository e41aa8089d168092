// Endpoints of group mappings, which turn groups of a provider into roles. Mappings are ordered, and the first match counts. A
// change is applied exactly as its plan showed it.
import { Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../endpoint.ts';
import { Id, IdParams } from '../../id.ts';
import { roleSources } from '../../provider.ts';
import { dataReply } from '../../reply.ts';

const closed = { additionalProperties: false } as const;

const Mapping = Type.Object(
  {
    group: Type.String({
      minLength: 1,
      maxLength: 512,
      description:
        'The name of the group at the provider; for a directory its distinguished name. `*` matches everyone, and never gives `admin`.',
    }),
    roleId: Id,
    departmentId: Type.Union([Id, Type.Null()], {
      description: 'If null, the department stays as it is.',
    }),
  },
  closed,
);

const wanted = {
  roleSource: Type.Enum(roleSources),
  mappings: Type.Array(Mapping, { maxItems: 1000 }),
};

const Place = Type.Object({ roleId: Id, departmentId: Id });

const Planned = Type.Object({
  userId: Id,
  username: Type.String(),
  effect: Type.Enum(['gains', 'loses', 'changes', 'link_refused', 'locked_out'] as const, {
    description:
      '`gains`: the new role may make all calls of the old one; `loses`: the other way round. `link_refused` and `locked_out`: the provider refuses a person who is gone there, disabled, in no mapped group, or whose groups cannot be read; with `link_refused` the person can still sign in with `remainingMethods`, with `locked_out` the person cannot sign in.',
  }),
  reason: Type.Union([Type.Enum(['gone', 'disabled', 'unmapped', 'unreadable'] as const), Type.Null()], {
    description:
      'Why the provider refuses the person. `unreadable`: the groups are not known; they are read at the next sign-in.',
  }),
  remainingMethods: Type.Array(Type.Enum(['password', 'passkey', 'provider'] as const), {
    description:
      'How the person can still sign in if this provider refuses: a password of this service, a passkey, or another provider.',
  }),
  before: Place,
  after: Type.Union([Place, Type.Null()]),
});

const example = {
  roleSource: 'every_login' as const,
  mappings: [{ group: 'cn=admins,ou=groups,dc=example,dc=com', roleId: 2, departmentId: null }],
};
const errors = ['provider_unavailable', 'provider_settings_wrong', 'conflict'] as const;

export const listMappingsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/providers/:id/mappings',
  access: 'permission',
  title: 'List the group mappings of a provider',
  params: IdParams,
  reply: dataReply(Type.Object({ roleSource: Type.Enum(roleSources), mappings: Type.Array(Mapping) })),
});

export const planMappingsEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/providers/:id/mappings/plan',
  access: 'permission',
  title: 'Preview other group mappings: who gains or loses permissions, and who is locked out',
  params: IdParams,
  body: Type.Object(wanted, closed),
  bodyLimitBytes: 1_048_576,
  example: { body: example },
  errors: [...errors],
  reply: dataReply(
    Type.Object({
      digest: Type.String({
        description: 'The digest of this plan. Send it back to apply exactly this plan.',
      }),
      people: Type.Integer({ description: 'The number of linked people.' }),
      keepsAdministrator: Type.Boolean({
        description: 'If false, no administrator would remain, and the plan cannot be applied.',
      }),
      changes: Type.Array(Planned),
    }),
  ),
});

export const applyMappingsEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/providers/:id/mappings',
  access: 'permission',
  takesAway: true,
  title: 'Set the group mappings of a provider, if that changes exactly what the plan showed',
  params: IdParams,
  body: Type.Object({ ...wanted, digest: Type.String({ pattern: '^[0-9a-f]{64}$' }) }, closed),
  bodyLimitBytes: 1_048_576,
  example: { body: { ...example, digest: '0'.repeat(64) } },
  errors: [...errors, 'plan_changed'],
  reply: dataReply(Type.Null()),
});

export const mappingEndpoints: readonly Endpoint[] = [
  listMappingsEndpoint,
  planMappingsEndpoint,
  applyMappingsEndpoint,
];
