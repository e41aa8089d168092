// Endpoints of users, for administrators. The permissions of a user come from the role, so role, enabled and password have
// separate endpoints and are not fields of the record.
import { type Static, Type } from 'typebox';
import { DisplayName } from '../display-name.ts';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { Id, IdParams } from '../id.ts';
import { MailAddress } from '../mail-address.ts';
import { pageFields, pageReply } from '../page.ts';
import { dataReply } from '../reply.ts';
import { changed, ifRevisionField, revisionField } from '../revision.ts';
import { PasswordLink } from './mail.ts';

/** Undeclared fields are refused: no caller sets an epoch or an id by sending it along. */
const closed = { additionalProperties: false } as const;

/** Only names that the login log shows; it would hide others. Some letters are invisible, and are refused too. */
export const usernamePattern =
  '^(?!.*\\p{Default_Ignorable_Code_Point})[\\p{L}\\p{N}][\\p{L}\\p{N}._@+-]{0,63}$';

export const NewPassword = Type.String({ minLength: 1, maxLength: 256 });

const GivenPassword = Type.Object({
  password: Type.Union([Type.String(), Type.Null()], {
    description: 'The password that was made, shown this once; null where the request had one.',
  }),
});

/** A service account belongs to a program: it has keys and no password. */
export const userKinds = ['person', 'service'] as const;
export type UserKind = (typeof userKinds)[number];

export const User = Type.Object({
  id: Type.Integer(),
  kind: Type.Enum(userKinds),
  username: Type.String(),
  name: Type.String(),
  departmentId: Type.Integer(),
  departmentName: Type.String(),
  roleId: Type.Integer(),
  roleKey: Type.String(),
  roleName: Type.String(),
  enabled: Type.Boolean(),
  passwordChangeRequired: Type.Boolean({
    description: 'The user must change the password before anything else.',
  }),
  mail: Type.Union([Type.String(), Type.Null()], { description: 'Where mail to the user goes.' }),
  createdAt: Type.String({ format: 'date-time' }),
  revision: revisionField,
});
export type User = Static<typeof User>;

const LastLogin = Type.Object({
  at: Type.String({ format: 'date-time' }),
  ip: Type.Union([Type.String(), Type.Null()]),
  browser: Type.Union([Type.String(), Type.Null()]),
  os: Type.Union([Type.String(), Type.Null()]),
});
export type LastLogin = Static<typeof LastLogin>;

export const listUsersEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/users',
  access: 'permission',
  title: 'List users by name, as far as the data scope reaches',
  query: Type.Object({
    ...pageFields,
    username: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'How the username begins.' }),
    ),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'How the username or a word of the name begins; of several words, each. Ordered by the word that was found.',
      }),
    ),
    roleId: Type.Optional(Id),
    departmentId: Type.Optional(Id),
    enabled: Type.Optional(Type.Boolean()),
    kind: Type.Optional(Type.Enum(userKinds)),
    secondFactor: Type.Optional(
      Type.Boolean({ description: 'Whether they have an authenticator app or a passkey.' }),
    ),
  }),
  reply: pageReply(User),
});

export const getUserEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/users/:id',
  access: 'permission',
  title: 'View a user',
  params: IdParams,
  reply: dataReply(
    Type.Object({
      ...User.properties,
      lastLogin: Type.Union([LastLogin, Type.Null()], {
        description: 'The last login that succeeded; null where the login log shows none lately.',
      }),
    }),
  ),
});

export const createUserEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/users',
  access: 'permission',
  title:
    'Create a user, who must change the password at the first login, or a service account, which has none',
  body: Type.Object(
    {
      username: Type.String({
        pattern: usernamePattern,
        description:
          'Letters and digits of any script; after the first character also `.`, `_`, `@`, `+` and `-`. At most 64 characters, without spaces and invisible ones.',
      }),
      name: DisplayName,
      departmentId: Id,
      roleId: Id,
      password: Type.Optional(NewPassword),
      kind: Type.Optional(Type.Enum(userKinds)),
      mail: Type.Optional(MailAddress),
      invite: Type.Optional(
        Type.Literal(true, {
          description: 'The user has no password, and gets a link that sets one; `password` is left out.',
        }),
      ),
    },
    closed,
  ),
  bodyLimitBytes: 4096,
  errors: ['account_kind_wrong', 'password_links_disabled'],
  reply: dataReply(
    Type.Object({
      id: Type.Integer(),
      ...GivenPassword.properties,
      invitation: Type.Optional(PasswordLink),
    }),
  ),
});

export const changeUserEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/users/:id',
  access: 'permission',
  title: 'Change name and department of a user',
  params: IdParams,
  body: changed({ name: DisplayName, departmentId: Id }),
  example: { body: { name: 'Mei Lin', departmentId: 1 } },
  reply: dataReply(Type.Null()),
});

export const setUserEnabledEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/users/:id/enabled',
  access: 'permission',
  takesAway: true,
  title: 'Enable or disable a user',
  params: IdParams,
  body: Type.Object({ enabled: Type.Boolean() }, closed),
  reply: dataReply(Type.Null()),
});

export const setUserPasswordEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/users/:id/password',
  access: 'permission',
  takesAway: true,
  title: 'Reset the password of a user, who must change it at the next login',
  params: IdParams,
  body: Type.Object({ password: Type.Optional(NewPassword) }, closed),
  bodyLimitBytes: 4096,
  errors: ['account_kind_wrong'],
  reply: dataReply(GivenPassword),
});

export const setUserRoleEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/users/:id/role',
  access: 'permission',
  takesAway: true,
  title: 'Give a user another role',
  params: IdParams,
  body: Type.Object({ roleId: Id, ifRevision: ifRevisionField }, closed),
  reply: dataReply(Type.Null()),
});

export const deleteUserEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/users/:id',
  access: 'permission',
  takesAway: true,
  title: 'Delete a user',
  params: IdParams,
  reply: dataReply(Type.Null()),
});

export const userEndpoints: readonly Endpoint[] = [
  listUsersEndpoint,
  getUserEndpoint,
  createUserEndpoint,
  changeUserEndpoint,
  setUserEnabledEndpoint,
  setUserPasswordEndpoint,
  setUserRoleEndpoint,
  deleteUserEndpoint,
];
