// Endpoints of account links: this subject of this provider is this user. A link is made by a signed-in user who proves the
// password again, or by the code of an administrator; never by a mail address or a name.
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
  name: Type.String({ description: 'What the provider called the person when the link was made.' }),
  createdAt: moment,
  usedAt: Type.Union([moment, Type.Null()]),
});

const oldPassword = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'The own password, once more.',
});

/** The query with which the browser called the provider’s redirect address. */
export const ProviderAnswer = Type.String({
  minLength: 1,
  maxLength: 3072,
  description: 'The query of the page that the provider sent the browser back to, as it is.',
});

export const listOwnLinksEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/user/links',
  access: 'identity',
  title: 'The providers that you can sign in by',
  reply: dataReply(Type.Object({ items: Type.Array(Link) })),
});

export const beginLinkEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/user/links/begin',
  access: 'identity',
  title: 'Begin to link your account to one at a provider',
  body: Type.Object({ provider: ProviderKey, oldPassword }, closed),
  bodyLimitBytes: 4096,
  example: { body: { provider: 'keycloak', oldPassword: 'seven-otters-carry-lanterns' } },
  errors: ['provider_unknown', 'provider_away'],
  reply: dataReply(
    Type.Object({
      attempt: Type.String({ description: 'Send it back with the answer. Keep it out of every address.' }),
      url: Type.String({ description: 'Where the browser goes now.' }),
      expiresAt: moment,
    }),
  ),
});

export const addLinkEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/user/links',
  access: 'identity',
  title: 'Link your account to the one that the provider vouches for',
  body: Type.Object(
    { attempt: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }), answer: ProviderAnswer },
    closed,
  ),
  bodyLimitBytes: 4096,
  example: { body: { attempt: 'x'.repeat(43), answer: 'code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj' } },
  errors: ['provider_refused', 'provider_away'],
  reply: dataReply(Type.Object({ id: Id })),
});

export const addDirectoryLinkEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/user/links/directory',
  access: 'identity',
  title: 'Link your account to your entry in a directory',
  body: Type.Object(
    {
      provider: ProviderKey,
      oldPassword,
      username: Type.String({ minLength: 1, maxLength: 64, description: 'In the directory.' }),
      password: Type.String({ minLength: 1, maxLength: 256, description: 'In the directory.' }),
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
  errors: ['credentials_wrong', 'provider_unknown', 'provider_away', 'provider_refused', 'conflict'],
  reply: dataReply(Type.Object({ id: Id })),
});

export const endOwnLinkEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/user/links/:id/ended',
  access: 'identity',
  takesAway: true,
  title: 'Remove a link of your own, which ends the sessions that it proved',
  params: IdParams,
  body: Type.Object({ oldPassword }, closed),
  bodyLimitBytes: 4096,
  errors: ['conflict'],
  reply: dataReply(Type.Null()),
});

export const listUserLinksEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/users/:id/links',
  access: 'permission',
  title: 'The providers that a user can sign in by',
  params: IdParams,
  reply: dataReply(Type.Object({ items: Type.Array(Link) })),
});

export const endUserLinkEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/users/:id/links/:linkId',
  access: 'permission',
  takesAway: true,
  title: 'Remove a link of a user, which ends the sessions that it proved',
  params: Type.Object({ id: Id, linkId: Id }),
  reply: dataReply(Type.Null()),
});

export const inviteToLinkEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/users/:id/link-invitations',
  access: 'permission',
  title: 'Make a code by which a user links the account at the first sign-in through a provider',
  params: IdParams,
  body: Type.Object({ providerId: Id }, closed),
  example: { body: { providerId: 1 } },
  errors: ['service_account'],
  reply: dataReply(
    Type.Object({
      invitation: Type.String({
        description: 'Shown this once. It makes one link, within 24 hours, and sets nothing else.',
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
  title: 'Take back the code by which a user links the account at a provider',
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
