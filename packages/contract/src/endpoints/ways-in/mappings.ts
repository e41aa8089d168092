// Endpoints of group mappings: groups of a provider become roles. Mappings are ordered, and the first match counts. They are
// applied as they were shown.
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
        'As the provider names it, of a directory its distinguished name; `*` is everybody, and never gives `admin`.',
    }),
    roleId: Id,
    departmentId: Type.Union([Id, Type.Null()], {
      description: 'Where it is null, the department stays as it is.',
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
      '`gains` and `loses`: the other role may make all calls that this one may, or the other way round. `link_refused` and `locked_out`: the provider rejects a person who is gone there, disabled, in no group that is mapped, or whose groups cannot be read; with `link_refused` the person can still sign in as `left` says, with `locked_out` the person cannot sign in at all.',
  }),
  because: Type.Union([Type.Enum(['gone', 'disabled', 'unmapped', 'unreadable'] as const), Type.Null()], {
    description: '`unreadable`: the groups of the last sign-in are not known. They are read at the next one.',
  }),
  left: Type.Array(Type.Enum(['password', 'passkey', 'provider'] as const), {
    description:
      'How the person can still sign in where this provider refuses: with a password here, a passkey, or another provider.',
  }),
  before: Place,
  after: Type.Union([Place, Type.Null()]),
});

const example = {
  roleSource: 'always' as const,
  mappings: [{ group: 'cn=admins,ou=groups,dc=example,dc=com', roleId: 2, departmentId: null }],
};
const errors = ['provider_away', 'provider_settings_wrong', 'conflict'] as const;

export const listMappingsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/providers/:id/mappings',
  access: 'permission',
  title: 'Which groups of a provider give which role',
  params: IdParams,
  reply: dataReply(Type.Object({ roleSource: Type.Enum(roleSources), mappings: Type.Array(Mapping) })),
});

export const planMappingsEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/providers/:id/mappings/plan',
  access: 'permission',
  title: 'Who would gain, lose and be locked out by other mappings, as the directory is now',
  params: IdParams,
  body: Type.Object(wanted, closed),
  bodyLimitBytes: 1_048_576,
  example: { body: example },
  errors: [...errors],
  reply: dataReply(
    Type.Object({
      digest: Type.String({ description: 'Of all that is shown: what is applied must have the same.' }),
      people: Type.Integer({ description: 'Who is linked.' }),
      keepsAdministrator: Type.Boolean({ description: 'Where it is false, it is not applied.' }),
      changes: Type.Array(Planned),
    }),
  ),
});

export const applyMappingsEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/providers/:id/mappings',
  access: 'permission',
  takesAway: true,
  title: 'Set which groups give which role, where that changes exactly what was shown',
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
