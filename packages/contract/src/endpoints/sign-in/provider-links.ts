// Endpoints of provider links: which user an account of a provider belongs to. A signed-in user creates a link and proves the
// password again, or a login creates one with the code of an administrator. No mail address and no name ever creates one.
import { Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../endpoint.ts';
import { Id, IdParams } from '../../id.ts';
import { ProviderKey } from '../../provider.ts';
import { dataReply } from '../../reply.ts';

const closed = { additionalProperties: false } as const;
const moment = Type.String({ format: 'date-time' });

const Link = Type.Object({
  id: Id,
  providerId: Id,
  providerKey: Type.String(),
  providerName: Type.String(),
  name: Type.String({ description: 'The name of the person at the provider when the link was created.' }),
  createdAt: moment,
  usedAt: Type.Union([moment, Type.Null()]),
});

const oldPassword = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'The current password of the caller.',
});

/** The query with which the provider sent the browser back. */
export const ProviderAnswer = Type.String({
  minLength: 1,
  maxLength: 3072,
  description: 'The query of the redirect URI that the browser came back to, unchanged.',
});

export const listOwnLinksEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/user/provider-links',
  access: 'identity',
  title: 'List the providers that your account is linked to',
  reply: dataReply(Type.Object({ items: Type.Array(Link) })),
});

export const beginLinkEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/user/provider-links/begin',
  access: 'identity',
  title: 'Begin to link your account to an account of a provider',
  body: Type.Object({ provider: ProviderKey, oldPassword }, closed),
  bodyLimitBytes: 4096,
  example: { body: { provider: 'keycloak', oldPassword: 'seven-otters-carry-lanterns' } },
  errors: ['provider_unknown', 'provider_unavailable'],
  reply: dataReply(
    Type.Object({
      flowId: Type.String({ description: 'Send it back with the answer. Keep it out of every address.' }),
      url: Type.String({ description: 'Where the browser goes now.' }),
      expiresAt: moment,
    }),
  ),
});

export const addLinkEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/user/provider-links',
  access: 'identity',
  title: 'Link your account to the account that the provider confirmed',
  body: Type.Object(
    { flowId: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }), answer: ProviderAnswer },
    closed,
  ),
  bodyLimitBytes: 4096,
  example: { body: { flowId: 'x'.repeat(43), answer: 'code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj' } },
  errors: ['provider_refused', 'provider_unavailable'],
  reply: dataReply(Type.Object({ id: Id })),
});

export const addDirectoryLinkEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/user/provider-links/directory',
  access: 'identity',
  title: 'Link your account to your account in a directory',
  body: Type.Object(
    {
      provider: ProviderKey,
      oldPassword,
      username: Type.String({ minLength: 1, maxLength: 64, description: 'The username in the directory.' }),
      password: Type.String({ minLength: 1, maxLength: 256, description: 'The password in the directory.' }),
    },
    closed,
  ),
  bodyLimitBytes: 4096,
  example: {
    body: {
      provider: 'company',
      oldPassword: 'seven-otters-carry-lanterns',
      username: 'mei',
      password: 'nine-herons-read-at-night',
    },
  },
  errors: ['credentials_wrong', 'provider_unknown', 'provider_unavailable', 'provider_refused', 'conflict'],
  reply: dataReply(Type.Object({ id: Id })),
});

export const endOwnLinkEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/user/provider-links/:id/ended',
  access: 'identity',
  takesAway: true,
  title: 'Remove one of your provider links, which ends the sessions that it proved',
  params: IdParams,
  body: Type.Object({ oldPassword }, closed),
  bodyLimitBytes: 4096,
  errors: ['conflict'],
  reply: dataReply(Type.Null()),
});

export const listUserLinksEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/users/:id/provider-links',
  access: 'permission',
  title: 'List the providers that a user is linked to',
  params: IdParams,
  reply: dataReply(Type.Object({ items: Type.Array(Link) })),
});

export const endUserLinkEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/users/:id/provider-links/:linkId',
  access: 'permission',
  takesAway: true,
  title: 'Remove a provider link of a user, which ends the sessions that it proved',
  params: Type.Object({ id: Id, linkId: Id }),
  reply: dataReply(Type.Null()),
});

export const inviteToLinkEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/users/:id/link-invitations',
  access: 'permission',
  title: 'Create a code that links a user at the first sign-in with a provider',
  params: IdParams,
  body: Type.Object({ providerId: Id }, closed),
  example: { body: { providerId: 1 } },
  errors: ['account_kind_wrong'],
  reply: dataReply(
    Type.Object({
      invitation: Type.String({
        description:
          'Shown only in this answer. It creates one link, within 24 hours, and changes nothing else.',
      }),
      expiresAt: moment,
    }),
  ),
});

export const withdrawInvitationEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/users/:id/link-invitations/:providerId',
  access: 'permission',
  takesAway: true,
  title: 'Withdraw the code that links a user at the first sign-in with a provider',
  params: Type.Object({ id: Id, providerId: Id }),
  reply: dataReply(Type.Null()),
});

export const linkEndpoints: readonly Endpoint[] = [
  listOwnLinksEndpoint,
  beginLinkEndpoint,
  addLinkEndpoint,
  addDirectoryLinkEndpoint,
  endOwnLinkEndpoint,
  listUserLinksEndpoint,
  endUserLinkEndpoint,
  inviteToLinkEndpoint,
  withdrawInvitationEndpoint,
];
