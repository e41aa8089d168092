// Endpoints of sign-in providers, which identify people for this service. A person who changes one could let any person log in, so
// only `admin` can change one.
import { type Static, Type } from 'typebox';
import { DisplayName } from '../../display-name.ts';
import { defineEndpoint, type Endpoint } from '../../endpoint.ts';
import { Id, IdParams } from '../../id.ts';
import {
  ProviderKey,
  ProviderSettings,
  providerAdmissions,
  providerKinds,
  roleSources,
} from '../../provider.ts';
import { dataReply } from '../../reply.ts';
import { changed, revisionField } from '../../revision.ts';

const closed = { additionalProperties: false } as const;
const idOrNull = Type.Union([Id, Type.Null()]);

const secret = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'Of this service at the provider. It is sealed, and never shown again.',
});

const fields = {
  name: DisplayName,
  settings: ProviderSettings,
  admission: Type.Enum(providerAdmissions),
  roleId: Type.Union([Id, Type.Null()], {
    description: 'The role of who is created at the first login.',
  }),
  departmentId: Type.Union([Id, Type.Null()], { description: 'The department of the same.' }),
  isDefault: Type.Boolean({
    description: 'Of a directory: names that no account here has are looked for there. At most one is.',
  }),
  lifetimeSeconds: Type.Union([Type.Integer({ minimum: 300, maximum: 86_400 }), Type.Null()], {
    description: 'How long a token lives at most that was issued by way of this provider.',
  }),
};

export const Provider = Type.Object({
  id: Id,
  key: Type.String(),
  kind: Type.Enum(providerKinds),
  name: Type.String(),
  enabled: Type.Boolean(),
  settings: ProviderSettings,
  hasSecret: Type.Boolean(),
  admission: Type.Enum(providerAdmissions),
  roleSource: Type.Enum(roleSources, {
    description: 'Changed together with the mappings, by what a plan has shown.',
  }),
  roleId: idOrNull,
  departmentId: idOrNull,
  isDefault: Type.Boolean(),
  lifetimeSeconds: Type.Union([Type.Integer(), Type.Null()]),
  createdAt: Type.String({ format: 'date-time' }),
  revision: revisionField,
});
export type Provider = Static<typeof Provider>;

const ProviderFinding = Type.Object({
  what: Type.String({ description: 'What was looked at: `discovery`, `keys`, `certificate`, `tokenUrl`.' }),
  ok: Type.Boolean(),
  text: Type.String(),
});
export type ProviderFinding = Static<typeof ProviderFinding>;

const example = {
  key: 'keycloak',
  kind: 'oidc',
  name: 'Company account',
  settings: {
    issuer: 'https://sso.example.com/realms/company',
    clientId: 'portcullis',
    redirectUri: 'https://admin.example.com/console/callback/keycloak',
  },
  secret: 'seven-otters-carry-lanterns',
};

export const listProvidersEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/providers',
  access: 'permission',
  title: 'List the providers that people can sign in by',
  reply: dataReply(Type.Object({ items: Type.Array(Provider) })),
});

export const getProviderEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/providers/:id',
  access: 'permission',
  title: 'View a provider',
  params: IdParams,
  reply: dataReply(
    Type.Object({
      ...Provider.properties,
      links: Type.Integer({ description: 'How many people are linked to it.' }),
      sessions: Type.Integer({ description: 'How many sessions live by it.' }),
    }),
  ),
});

export const createProviderEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/providers',
  access: 'permission',
  title: 'Add a provider, which is not enabled yet',
  body: Type.Object(
    {
      key: ProviderKey,
      kind: Type.Enum(providerKinds),
      name: fields.name,
      settings: fields.settings,
      secret: Type.Optional(secret),
      admission: Type.Optional(fields.admission),
      roleId: Type.Optional(fields.roleId),
      departmentId: Type.Optional(fields.departmentId),
      isDefault: Type.Optional(fields.isDefault),
      lifetimeSeconds: Type.Optional(fields.lifetimeSeconds),
    },
    closed,
  ),
  example: { body: example },
  errors: ['provider_settings_wrong'],
  reply: dataReply(Type.Object({ id: Id })),
});

export const changeProviderEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/providers/:id',
  access: 'permission',
  takesAway: true,
  title:
    'Change a provider; other settings end its sessions, and another address needs the secret and disables the provider',
  params: IdParams,
  body: changed({ ...fields, secret }),
  example: { body: { name: 'Company account' } },
  errors: ['provider_settings_wrong', 'provider_secret_missing'],
  reply: dataReply(Type.Null()),
});

export const checkProviderEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/providers/:id/check',
  access: 'permission',
  title: 'Ask a provider whether people could sign in by it',
  params: IdParams,
  reply: dataReply(Type.Object({ ok: Type.Boolean(), findings: Type.Array(ProviderFinding) })),
});

export const setProviderEnabledEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/providers/:id/enabled',
  access: 'permission',
  takesAway: true,
  title: 'Enable a provider that passes its check, or disable it, which ends the sessions that live by it',
  params: IdParams,
  body: Type.Object({ enabled: Type.Boolean() }, closed),
  example: { body: { enabled: false } },
  errors: ['provider_check_failed'],
  reply: dataReply(Type.Null()),
});

const counted = (description: string) => Type.Integer({ description });

export const recheckProviderEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/providers/:id/recheck',
  access: 'permission',
  takesAway: true,
  title:
    'Look again for whoever has a session by a directory, and end those of who is not let in there any more',
  params: IdParams,
  errors: ['provider_away', 'provider_unknown'],
  reply: dataReply(
    Type.Object({
      people: counted('Who was looked for: everybody with a session.'),
      gone: counted('Who is not in the directory any more.'),
      disabled: counted('Who is disabled or expired there.'),
      unmapped: counted('Who is in no group that gives a role, where the provider always says the role.'),
      moved: counted('Whose groups give another role now.'),
    }),
  ),
});

export const deleteProviderEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/providers/:id',
  access: 'permission',
  takesAway: true,
  title: 'Delete a provider with its links, which ends the sessions that live by it',
  params: IdParams,
  reply: dataReply(Type.Null()),
});

/** OpenID Connect Back-Channel Logout 1.0, section 2.5. */
export const endAtProviderEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/providers/:key/logout',
  access: 'public',
  excludable: true,
  form: true,
  title:
    'Take a provider’s word that a session there has ended, which ends what rests on it before it is answered',
  params: Type.Object({ key: ProviderKey }),
  body: Type.Object({ logout_token: Type.String({ minLength: 1, maxLength: 8192 }) }),
  bodyLimitBytes: 16_384,
  example: { params: { key: 'keycloak' }, body: { logout_token: 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln' } },
  errors: ['logout_token_wrong', 'provider_unknown', 'provider_away'],
  reply: dataReply(Type.Null()),
});

export const providerEndpoints: readonly Endpoint[] = [
  listProvidersEndpoint,
  getProviderEndpoint,
  createProviderEndpoint,
  changeProviderEndpoint,
  checkProviderEndpoint,
  setProviderEnabledEndpoint,
  recheckProviderEndpoint,
  deleteProviderEndpoint,
  endAtProviderEndpoint,
];
