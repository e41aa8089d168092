// Endpoints of sign-in providers, which identify people for this service. A change of a provider can let any person log in, so
// only `admin` can make one.
import { type Static, Type } from 'typebox';
import { DisplayName } from '../../display-name.ts';
import { defineEndpoint, type Endpoint } from '../../endpoint.ts';
import { Id, IdParams } from '../../id.ts';
import {
  ProviderKey,
  ProviderSettings,
  providerKinds,
  provisioningModes,
  roleSources,
} from '../../provider.ts';
import { dataReply } from '../../reply.ts';
import { changed, revisionField } from '../../revision.ts';

const closed = { additionalProperties: false } as const;
const idOrNull = Type.Union([Id, Type.Null()]);

const secret = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'The secret of this service at the provider. It is stored encrypted, and never shown.',
});

const fields = {
  name: DisplayName,
  settings: ProviderSettings,
  provisioning: Type.Enum(provisioningModes),
  roleId: Type.Union([Id, Type.Null()], {
    description: 'The role of accounts that the first login creates.',
  }),
  departmentId: Type.Union([Id, Type.Null()], {
    description: 'The department of accounts that the first login creates.',
  }),
  isDefault: Type.Boolean({
    description:
      'Whether this directory is asked for usernames without an account. At most one directory is the default.',
  }),
  lifetimeSeconds: Type.Union([Type.Integer({ minimum: 300, maximum: 86_400 }), Type.Null()], {
    description: 'The longest lifetime of a token of a login with this provider.',
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
  provisioning: Type.Enum(provisioningModes),
  roleSource: Type.Enum(roleSources, {
    description: 'Where roles come from. It changes together with the group mappings.',
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
  what: Type.String({
    description: 'What was checked, such as `discovery`, `keys`, `certificate` or `tokenUrl`.',
  }),
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
  title: 'List the sign-in providers',
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
      links: Type.Integer({ description: 'The number of linked people.' }),
      sessions: Type.Integer({ description: 'The number of live sessions that it proved.' }),
    }),
  ),
});

export const createProviderEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/providers',
  access: 'permission',
  title: 'Create a provider, which is disabled until it is enabled',
  body: Type.Object(
    {
      key: ProviderKey,
      kind: Type.Enum(providerKinds),
      name: fields.name,
      settings: fields.settings,
      secret: Type.Optional(secret),
      provisioning: Type.Optional(fields.provisioning),
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
  title: 'Check whether people can sign in with a provider',
  params: IdParams,
  reply: dataReply(Type.Object({ ok: Type.Boolean(), findings: Type.Array(ProviderFinding) })),
});

export const setProviderEnabledEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/providers/:id/enabled',
  access: 'permission',
  takesAway: true,
  title: 'Enable a provider that passes its check, or disable it, which ends the sessions that it proved',
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
    'Look up in a directory every person who has a session, and end the sessions of people whom it no longer accepts',
  params: IdParams,
  errors: ['provider_unavailable', 'provider_unknown'],
  reply: dataReply(
    Type.Object({
      people: counted('People who were looked up: all with a session.'),
      gone: counted('People who are no longer in the directory.'),
      disabled: counted('People who are disabled or expired there.'),
      unmapped: counted('People in no mapped group, if groups decide the role at every login.'),
      moved: counted('People whose groups give another role now.'),
    }),
  ),
});

export const deleteProviderEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/providers/:id',
  access: 'permission',
  takesAway: true,
  title: 'Delete a provider with its links, which ends the sessions that it proved',
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
  title: 'Receive a back-channel logout of a provider; its sessions have ended when the call returns',
  params: Type.Object({ key: ProviderKey }),
  body: Type.Object({ logout_token: Type.String({ minLength: 1, maxLength: 8192 }) }),
  bodyLimitBytes: 16_384,
  example: { params: { key: 'keycloak' }, body: { logout_token: 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln' } },
  errors: ['logout_token_wrong', 'provider_unknown', 'provider_unavailable'],
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
