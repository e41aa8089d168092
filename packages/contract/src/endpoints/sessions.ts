// Endpoints of sessions: list the logins that have not ended, and end them (revocation).
import { Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { Id, IdParams } from '../id.ts';
import { pageFields, pageReply } from '../page.ts';
import { dataReply } from '../reply.ts';
import { jtiPattern } from '../token.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);

const Session = Type.Object({
  jti: Type.String(),
  userId: Type.Integer(),
  username: Type.String(),
  name: Type.String({ description: 'Of the user.' }),
  roleId: Type.Integer(),
  roleKey: Type.String(),
  ip: nullableText,
  userAgent: nullableText,
  issuedAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.String({ format: 'date-time' }),
});

export const listSessionsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/sessions',
  access: 'permission',
  title: 'List live sessions, newest first',
  query: Type.Object({ ...pageFields, userId: Type.Optional(Id) }),
  reply: pageReply(Session),
});

const jtiParams = Type.Object({
  jti: Type.String({
    pattern: jtiPattern,
    description: 'The id of a session, as the list shows it: 22 letters, digits, `_` and `-`.',
  }),
});

export const getSessionEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/sessions/:jti',
  access: 'permission',
  title: 'View a live session',
  params: jtiParams,
  reply: dataReply(Session),
});

export const endSessionEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/sessions/:jti',
  access: 'permission',
  takesAway: true,
  title: 'End a session',
  params: jtiParams,
  reply: dataReply(Type.Null()),
});

export const endUserSessionsEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/users/:id/sessions',
  access: 'permission',
  takesAway: true,
  title: 'End all sessions of a user',
  params: IdParams,
  reply: dataReply(Type.Null()),
});

export const endAllSessionsEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/sessions',
  access: 'permission',
  takesAway: true,
  title: "End everybody's sessions",
  reply: dataReply(Type.Null()),
});

export const sessionEndpoints: readonly Endpoint[] = [
  listSessionsEndpoint,
  getSessionEndpoint,
  endSessionEndpoint,
  endUserSessionsEndpoint,
  endAllSessionsEndpoint,
];
