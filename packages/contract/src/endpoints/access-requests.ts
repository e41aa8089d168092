// Endpoints of access requests: a user requests temporary permission for one call, and a user who can grant it decides.
import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint, httpMethods } from '../endpoint.ts';
import { Id, IdParams } from '../id.ts';
import { pageFields, pageReply } from '../page.ts';
import { dataReply } from '../reply.ts';
import { ifRevisionField, revisionField } from '../revision.ts';
import { countedUsersLimit, ruleSeconds } from './rules.ts';

const closed = { additionalProperties: false } as const;

/** How many open requests one user can have. */
export const openRequestsLimit = 10;

/** After so many days without a decision a request expires. */
export const openRequestDays = 30;

/** `approved`, `denied` and `withdrawn` are final. A user who still needs the access creates a new request. */
export const accessRequestStates = ['open', 'approved', 'denied', 'withdrawn'] as const;
export type AccessRequestState = (typeof accessRequestStates)[number];

/** Paths that the policy can decide about. A path that belongs to no known endpoint is refused. */
const Path = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^/[!-~]*$',
  description: 'The path of a call, or the declared path of an endpoint, such as `/orders/:id`.',
});

/** Allows line breaks, and no invisible characters. */
const inOwnWords = (minLength: number) =>
  Type.String({
    minLength,
    maxLength: 500,
    pattern: '^(?:[^\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]|\\n)*$',
  });

const CreateBody = Type.Object(
  {
    method: Type.Enum(httpMethods),
    path: Path,
    reason: inOwnWords(1),
    seconds: Type.Integer({
      ...ruleSeconds,
      description: 'The requested duration. The approved duration can be shorter.',
    }),
  },
  closed,
);

const nullableText = Type.Union([Type.String(), Type.Null()]);
const moment = Type.String({ format: 'date-time' });

const requestFields = {
  id: Id,
  method: Type.Enum(httpMethods),
  path: Type.String({ description: 'The requested path.' }),
  pattern: Type.String({ description: 'The declared path of its endpoint.' }),
  title: Type.String({ description: 'The title of its endpoint; empty if it has none.' }),
  reason: Type.String(),
  seconds: Type.Integer({ description: 'The requested duration.' }),
  requestedAt: moment,
  revision: revisionField,
};

const OwnAccessRequest = Type.Object({
  ...requestFields,
  state: Type.Enum(accessRequestStates),
  decision: Type.Union(
    [
      Type.Object({
        by: Type.String({ description: 'The username of the user who decided.' }),
        at: moment,
        note: nullableText,
        approvedPath: Type.Union([Type.String(), Type.Null()], {
          description: 'Null if the request was denied.',
        }),
        endsAt: Type.Union([moment, Type.Null()], {
          description: 'When the temporary rule ends. It can have been removed before.',
        }),
      }),
      Type.Null(),
    ],
    { description: 'Null while the request is open, and after a withdrawal.' },
  ),
});
/** A request as its requester sees it. */
export type OwnAccessRequest = Static<typeof OwnAccessRequest>;

const AccessRequest = Type.Object({
  ...requestFields,
  userId: Type.Integer(),
  username: Type.String(),
  name: Type.String({ description: 'The name of the requester; empty if there is only a username.' }),
  userEnabled: Type.Boolean(),
  departmentName: Type.String(),
  roleId: Type.Integer({ description: 'The current role of the requester, which gets the rule.' }),
  roleKey: Type.String(),
  roleName: Type.String(),
  roleEnabled: Type.Boolean(),
  holders: Type.Object({
    count: Type.Integer({
      minimum: 0,
      description:
        'The enabled users of that role within the data scope of the caller. All of them get the permission.',
    }),
    more: Type.Boolean({
      description: `True if there can be more: at most ${countedUsersLimit} users are counted.`,
    }),
  }),
});
/** A request as the users who can decide it see it. */
export type AccessRequest = Static<typeof AccessRequest>;

export const createAccessRequestEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/user/access-requests',
  access: 'identity',
  title: 'Request temporary access to a call; a repeated request replaces the open one',
  errors: ['already_allowed', 'route_unknown', 'access_request_limit'],
  body: CreateBody,
  bodyLimitBytes: 8192,
  example: {
    body: { method: 'GET', path: '/api/v1/roles/7', reason: 'I look after the new branch.', seconds: 28_800 },
  },
  reply: dataReply(Type.Object({ id: Id })),
});

export const listOwnAccessRequestsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/user/access-requests',
  access: 'identity',
  title: 'List your access requests, newest first',
  reply: dataReply(Type.Object({ items: Type.Array(OwnAccessRequest) })),
});

export const withdrawAccessRequestEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/user/access-requests/:id',
  access: 'identity',
  title: 'Withdraw your access request',
  errors: ['already_decided'],
  params: IdParams,
  reply: dataReply(Type.Null()),
});

export const listAccessRequestsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/access-requests',
  access: 'permission',
  title: 'List the open access requests of other users, oldest first',
  query: Type.Object(pageFields),
  reply: pageReply(AccessRequest),
});

const DecisionBody = Type.Object(
  {
    decision: Type.Enum(['approve', 'deny']),
    seconds: Type.Optional(
      Type.Integer({
        ...ruleSeconds,
        description: 'Required for an approval: the duration, at most the requested one.',
      }),
    ),
    path: Type.Optional(
      Type.Enum(['requested', 'pattern'], {
        description:
          'The path of the rule: the requested path (the default), or the declared path of its endpoint.',
      }),
    ),
    note: Type.Optional(inOwnWords(0)),
    ifRevision: ifRevisionField,
  },
  closed,
);

export const decideAccessRequestEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/access-requests/:id/decision',
  access: 'permission',
  takesAway: true,
  title: 'Approve an access request as a temporary rule of the role of the requester, or deny it',
  errors: ['already_allowed', 'already_decided', 'requester_disabled'],
  params: IdParams,
  body: DecisionBody,
  example: { body: { decision: 'approve', seconds: 28_800 } },
  bodyLimitBytes: 8192,
  reply: dataReply(Type.Null()),
});

export const accessRequestEndpoints: readonly Endpoint[] = [
  createAccessRequestEndpoint,
  listOwnAccessRequestsEndpoint,
  withdrawAccessRequestEndpoint,
  listAccessRequestsEndpoint,
  decideAccessRequestEndpoint,
];
