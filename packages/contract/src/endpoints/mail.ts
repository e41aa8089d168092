// Endpoints of password links, for a forgotten password and for an invitation, and of the mails that carry them. A link sets a
// password once; it never gives a token, so the person logs in afterwards.
import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { IdParams } from '../id.ts';
import { MailAddress } from '../mail-address.ts';
import { pageFields, pageReply } from '../page.ts';
import { dataReply } from '../reply.ts';

const closed = { additionalProperties: false } as const;

export const forgotPasswordEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/password/forgot',
  access: 'public',
  excludable: true,
  title: 'Ask for a link that sets a new password; known and unknown addresses are answered alike',
  body: Type.Object(
    {
      mail: MailAddress,
      uuid: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      code: Type.Optional(Type.String({ minLength: 1, maxLength: 16 })),
    },
    closed,
  ),
  bodyLimitBytes: 4096,
  example: { body: { mail: 'mei@example.com', uuid: 'hP4nWc0kT1uJx8yQ', code: 'K7WQP' } },
  errors: ['captcha_missing', 'captcha_wrong', 'mail_disabled'],
  reply: dataReply(Type.Null()),
});

export const resetPasswordEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/password/reset',
  access: 'public',
  excludable: true,
  title: 'Set a password with the code of a link, which ends all sessions and gives no token',
  body: Type.Object(
    {
      code: Type.String({
        pattern: '^[A-Za-z0-9_-]{65}$',
        description: 'What stands behind `#` in the link.',
      }),
      newPassword: Type.String({ minLength: 1, maxLength: 256 }),
    },
    closed,
  ),
  bodyLimitBytes: 4096,
  example: { body: { code: 'x'.repeat(65), newPassword: 'seven-otters-carry-lanterns' } },
  errors: ['password_link_wrong'],
  reply: dataReply(Type.Null()),
});

/** A link, and how it is delivered to its owner. */
export const PasswordLink = Type.Object({
  mailed: Type.Boolean({ description: 'Whether it goes to the user by mail.' }),
  link: Type.Union([Type.String(), Type.Null()], {
    description: 'Shown this once, for who gives it to the user; null where it goes by mail.',
  }),
  expiresAt: Type.String({ format: 'date-time' }),
});
export type PasswordLink = Static<typeof PasswordLink>;

export const createPasswordLinkEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/users/:id/password-link',
  access: 'permission',
  title: 'Send a user a link that sets a password once, or show it where there is no mail',
  params: IdParams,
  errors: ['account_kind_wrong', 'password_links_disabled'],
  reply: dataReply(PasswordLink),
});

export const setUserMailEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/users/:id/mail',
  access: 'permission',
  title: 'Set the address that mail to a user goes to, and with it who can ask for a new password',
  params: IdParams,
  body: Type.Object({ mail: Type.Union([MailAddress, Type.Null()]) }, closed),
  example: { body: { mail: 'mei@example.com' } },
  reply: dataReply(Type.Null()),
});

export const mailKinds = [
  'invitation',
  'password_reset',
  'new_device',
  'password_changed',
  'factor_removed',
] as const;
export type MailKind = (typeof mailKinds)[number];

export const mailStates = ['queued', 'sent', 'dead'] as const;
export type MailState = (typeof mailStates)[number];

const Mail = Type.Object({
  id: Type.String({ format: 'uuid' }),
  kind: Type.Enum(mailKinds),
  userId: Type.Union([Type.Integer(), Type.Null()]),
  username: Type.Union([Type.String(), Type.Null()]),
  state: Type.Enum(mailStates, { description: '`dead` is not retried automatically.' }),
  tries: Type.Integer(),
  reason: Type.Union([Type.String(), Type.Null()], {
    description: 'What the server for mail answered last, without addresses.',
  }),
  createdAt: Type.String({ format: 'date-time' }),
  nextAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'When it is tried next; null where it is not.',
  }),
  endedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
});
export type Mail = Static<typeof Mail>;

export const listMailsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/mails',
  access: 'permission',
  title: 'List mails to users in the data scope, the newest first',
  query: Type.Object({ ...pageFields, state: Type.Optional(Type.Enum(mailStates)) }),
  reply: pageReply(Mail),
});

export const retryMailEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/mails/:id/retry',
  access: 'permission',
  title: 'Try to send a mail again',
  params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  errors: ['conflict'],
  reply: dataReply(Type.Null()),
});

export const mailEndpoints: readonly Endpoint[] = [
  forgotPasswordEndpoint,
  resetPasswordEndpoint,
  createPasswordLinkEndpoint,
  setUserMailEndpoint,
  listMailsEndpoint,
  retryMailEndpoint,
];
