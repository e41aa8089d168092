// Endpoints of access requests: a person asks for permission to make one call for a while, and a person who can grant it answers.
import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint, httpMethods } from '../endpoint.ts';
import { Id, IdParams } from '../id.ts';
import { pageFields, pageReply } from '../page.ts';
import { dataReply } from '../reply.ts';
import { ifRevisionField, revisionField } from '../revision.ts';
import { countedUsersLimit, ruleSeconds } from './rules.ts';

const closed = { additionalProperties: false } as const;

/** How many open requests one person can have. */
export const openRequestsLimit = 10;

/** After so many days without an answer a request expires. */
export const openRequestDays = 30;

/** `given`, `refused` and `withdrawn` are final: a person who still needs the access asks again. */
export const accessRequestStates = ['open', 'given', 'refused', 'withdrawn'] as const;
export type AccessRequestState = (typeof accessRequestStates)[number];

/** Paths that a decision can be made for; a path that is not in the catalogue is refused anyway. */
const Path = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^/[!-~]*$',
  description: 'One that is called, or one that is declared, with its `:name`.',
});

/** Allows line breaks, and no invisible characters. */
const inOwnWords = (minLength: number) =>
  Type.String({
    minLength,
    maxLength: 500,
    pattern: '^(?:[^\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]|\\n)*$',
  });

const AskBody = Type.Object(
  {
    method: Type.Enum(httpMethods),
    path: Path,
    reason: inOwnWords(1),
    seconds: Type.Integer({ ...ruleSeconds, description: 'For how long; an answer may give less.' }),
  },
  closed,
);

const nullableText = Type.Union([Type.String(), Type.Null()]);
const moment = Type.String({ format: 'date-time' });

const requestFields = {
  id: Id,
  method: Type.Enum(httpMethods),
  path: Type.String({ description: 'What was asked for.' }),
  pattern: Type.String({ description: 'The path of the endpoint that it belongs to.' }),
  title: Type.String({ description: 'Of that endpoint; empty where it has none.' }),
  reason: Type.String(),
  seconds: Type.Integer({ description: 'For how long it was asked for.' }),
  askedAt: moment,
  revision: revisionField,
};

const OwnAccessRequest = Type.Object({
  ...requestFields,
  state: Type.Enum(accessRequestStates),
  answer: Type.Union(
    [
      Type.Object({
        by: Type.String({ description: 'The name of who answered.' }),
        at: moment,
        note: nullableText,
        givenPath: Type.Union([Type.String(), Type.Null()], { description: 'Null where it was refused.' }),
        endsAt: Type.Union([moment, Type.Null()], {
          description: 'When the rule expires. It may have been removed before.',
        }),
      }),
      Type.Null(),
    ],
    { description: 'Null without an answer.' },
  ),
});
/** A request as the person who made it sees it. */
export type OwnAccessRequest = Static<typeof OwnAccessRequest>;

const AccessRequest = Type.Object({
  ...requestFields,
  userId: Type.Integer(),
  username: Type.String(),
  name: Type.String({ description: 'Of who asks; empty where there is only a username.' }),
  userEnabled: Type.Boolean(),
  departmentName: Type.String(),
  roleId: Type.Integer({ description: 'The role of now, which a rule would be given to.' }),
  roleKey: Type.String(),
  roleName: Type.String(),
  roleEnabled: Type.Boolean(),
  holders: Type.Object({
    count: Type.Integer({
      minimum: 0,
      description:
        'Enabled users of that role, who would all be allowed it, as far as the data scope reaches.',
    }),
    more: Type.Boolean({
      description: `True where there may be more: no more than ${countedUsersLimit} are looked at.`,
    }),
  }),
});
/** A request as the people who can answer it see it. */
export type AccessRequest = Static<typeof AccessRequest>;

export const askForAccessEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/user/access-requests',
  access: 'identity',
  title: 'Ask to be allowed a call for a while; asking the same again changes the open request',
  errors: ['already_allowed', 'route_unknown', 'requests_full'],
  body: AskBody,
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
  title: 'List what you asked for, newest first',
  reply: dataReply(Type.Object({ items: Type.Array(OwnAccessRequest) })),
});

export const withdrawAccessRequestEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/user/access-requests/:id',
  access: 'identity',
  title: 'Withdraw what you asked for',
  errors: ['answered_already'],
  params: IdParams,
  reply: dataReply(Type.Null()),
});

export const listAccessRequestsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/access-requests',
  access: 'permission',
  title: 'List open access requests of others, the oldest first',
  query: Type.Object(pageFields),
  reply: pageReply(AccessRequest),
});

const AnswerBody = Type.Object(
  {
    answer: Type.Enum(['give', 'refuse']),
    seconds: Type.Optional(
      Type.Integer({
        ...ruleSeconds,
        description: 'To give it: for how long, and no longer than was asked.',
      }),
    ),
    path: Type.Optional(
      Type.Enum(['asked', 'pattern'], {
        description: 'Which path the rule gets: the one that was asked for, unless given, or its pattern.',
      }),
    ),
    note: Type.Optional(inOwnWords(0)),
    ifRevision: ifRevisionField,
  },
  closed,
);

export const answerAccessRequestEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/access-requests/:id/answer',
  access: 'permission',
  takesAway: true,
  title: "Give what was asked for, as a rule with an end of the person's role, or refuse it",
  errors: ['already_allowed', 'answered_already', 'asker_unable'],
  params: IdParams,
  body: AnswerBody,
  example: { body: { answer: 'give', seconds: 28_800 } },
  bodyLimitBytes: 8192,
  reply: dataReply(Type.Null()),
});

export const accessRequestEndpoints: readonly Endpoint[] = [
  askForAccessEndpoint,
  listOwnAccessRequestsEndpoint,
  withdrawAccessRequestEndpoint,
  listAccessRequestsEndpoint,
  answerAccessRequestEndpoint,
];
