// Endpoints of the policy rules of a role: list, compare a draft, change, history, rollback, and temporary rules.
import { type Static, type TSchema, Type } from 'typebox';
import { defineEndpoint, type Endpoint, httpMethods } from '../endpoint.ts';
import { IdParams } from '../id.ts';
import { pageFields, pageProperties, pageReply } from '../page.ts';
import { dataReply } from '../reply.ts';

const closed = { additionalProperties: false } as const;

/** Wider than the rules that can be added, so that a stored rule which is not in force can be removed. */
const RuleOfRole = Type.Object(
  {
    method: Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000]+$' }),
    path: Type.String({ minLength: 1, maxLength: 1024, pattern: '^[^\\u0000]+$' }),
  },
  closed,
);

const most = 1000;
const listedMost = 100;

/** How many rules one call can add and remove in all. */
export const ruleChangesLimit = most;

/** How many rules a rollback can change. */
export const rollbackLimit = 10_000;

/** How many routes a comparison lists each way, and how many rules a change in the history; all are counted. */
export const listedRulesLimit = listedMost;

/** Up to how many users a comparison counts. */
export const countedUsersLimit = 10_000;

const Revision = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const ifRevision = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description:
      "The `revision` that this was decided on: the call is refused with 409 where the role's rules have changed since.",
  }),
);
const draftFields = {
  add: Type.Optional(Type.Array(RuleOfRole, { maxItems: most })),
  remove: Type.Optional(Type.Array(RuleOfRole, { maxItems: most })),
};

export const RuleChangesBody = Type.Object({ ...draftFields, ifRevision }, closed);
export type RuleChangesBody = Static<typeof RuleChangesBody>;

const Rule = Type.Object({ method: Type.String(), path: Type.String() });
const rulesRevision = Type.Integer({
  ...Revision,
  description: "The last revision that changed this role's rules.",
});

export const changeRulesEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/roles/:id/rules',
  access: 'permission',
  takesAway: true,
  title: 'Add and remove rules of a role, all at once',
  params: IdParams,
  body: RuleChangesBody,
  example: { body: { add: [{ method: 'GET', path: '/api/v1/orders/:id' }] } },
  bodyLimitBytes: 1024 * 1024,
  reply: dataReply(Type.Null()),
});

export const listRulesEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/roles/:id/rules',
  access: 'permission',
  title: 'List the rules of a role',
  params: IdParams,
  query: Type.Object(pageFields),
  reply: dataReply(Type.Object({ ...pageProperties(Rule), revision: rulesRevision })),
});

/** How much of a route a role is allowed to call: none of its paths, some of them, or all. */
export const reaches = ['none', 'some', 'all'] as const;
export type Reach = (typeof reaches)[number];

const ComparedRoute = Type.Object({
  service: Type.String(),
  method: Type.Enum(httpMethods),
  path: Type.String(),
  title: Type.String(),
  before: Type.Enum(reaches),
  after: Type.Enum(reaches),
});
const counted = <S extends TSchema>(item: S) =>
  Type.Object({
    count: Type.Integer({ minimum: 0 }),
    items: Type.Array(item, { description: `The first ${listedMost} at most.` }),
  });
const RouteComparison = Type.Object({
  gained: counted(ComparedRoute),
  lost: counted(ComparedRoute),
  complete: Type.Boolean({
    description:
      'False where comparing was abandoned: then routes of which only some paths are concerned may be wrong or missing.',
  }),
});
/** The routes that a role could call more or less of. */
export type RouteComparison = Static<typeof RouteComparison>;

const RuleComparison = Type.Object({
  revision: rulesRevision,
  added: Type.Array(Rule, { description: 'Without those that are there already.' }),
  removed: Type.Array(Rule, { description: 'Without those that are not there.' }),
  gains: Type.Array(Rule, { description: 'Those of `added` that allow what no rule allows yet.' }),
  losses: Type.Array(Rule, { description: 'Those of `removed` that allow what no other rule does.' }),
  routes: RouteComparison,
  users: Type.Object({
    count: Type.Integer({
      minimum: 0,
      description: 'Enabled users of the role, whom the change concerns, as far as the data scope reaches.',
    }),
    more: Type.Boolean({
      description: `True where there may be more: no more than ${countedUsersLimit} are looked at.`,
    }),
  }),
});
/** What a draft would change. */
export type RuleComparison = Static<typeof RuleComparison>;

export const compareRulesEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/roles/:id/rules/compare',
  access: 'permission',
  title: 'Say what a change of rules would give and take away, and make none',
  params: IdParams,
  body: Type.Object(
    {
      ...draftFields,
      rollbackTo: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Instead of `add` and `remove`: what a rollback to this revision would change.',
        }),
      ),
    },
    closed,
  ),
  example: { body: { add: [{ method: 'GET', path: '/api/v1/orders/:id' }] } },
  bodyLimitBytes: 1024 * 1024,
  reply: dataReply(RuleComparison),
});

const RuleHistoryItem = Type.Object({
  revision: Revision,
  at: Type.String({ format: 'date-time' }),
  by: Type.Object({ userId: Type.Integer(), username: Type.String() }),
  added: counted(Rule),
  removed: counted(Rule),
  rolledBackTo: Type.Union([Revision, Type.Null()], { description: 'Null where this was no rollback.' }),
});
/** One change of a role's rules. */
export type RuleHistoryItem = Static<typeof RuleHistoryItem>;

export const listRuleHistoryEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/roles/:id/rules/history',
  access: 'permission',
  title: "List the changes of a role's rules, newest first",
  params: IdParams,
  query: Type.Object(pageFields),
  reply: pageReply(RuleHistoryItem),
});

export const rollbackRulesEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/roles/:id/rules/rollback',
  access: 'permission',
  takesAway: true,
  title: "Make a role's rules what they were after a revision",
  params: IdParams,
  body: Type.Object({ revision: Revision, ifRevision }, closed),
  reply: dataReply(Type.Null()),
});

/** How many temporary rules a role can have, and how many one call can set and remove in all. */
export const temporaryRulesLimit = 100;
/** The shortest and the longest duration of a temporary rule. */
export const ruleSeconds = { minimum: 10, maximum: 31 * 24 * 3600 } as const;

const TimedRule = Type.Object(
  {
    ...RuleOfRole.properties,
    seconds: Type.Integer({
      ...ruleSeconds,
      description: "For how long, by the database's clock. A rule that is there already gets this end.",
    }),
  },
  closed,
);
export type TimedRule = Static<typeof TimedRule>;

const TemporaryRuleItem = Type.Object({
  method: Type.String(),
  path: Type.String(),
  endsAt: Type.String({ format: 'date-time', description: 'The first moment at which it allows nothing.' }),
  givenBy: Type.String({ description: 'The username at that time.' }),
});
export type TemporaryRuleItem = Static<typeof TemporaryRuleItem>;

export const listTemporaryRulesEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/roles/:id/temporary-rules',
  access: 'permission',
  title: 'List the rules of a role that have an end, the next one first',
  params: IdParams,
  reply: dataReply(Type.Object({ items: Type.Array(TemporaryRuleItem) })),
});

export const changeTemporaryRulesEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/roles/:id/temporary-rules',
  access: 'permission',
  takesAway: true,
  title: 'Give rules to a role for a while, or take such rules away before their end',
  params: IdParams,
  body: Type.Object(
    {
      set: Type.Optional(Type.Array(TimedRule, { maxItems: temporaryRulesLimit })),
      remove: Type.Optional(Type.Array(RuleOfRole, { maxItems: temporaryRulesLimit })),
    },
    closed,
  ),
  example: { body: { set: [{ method: 'GET', path: '/api/v1/orders/:id', seconds: 28_800 }] } },
  bodyLimitBytes: 256 * 1024,
  reply: dataReply(Type.Null()),
});

export const ruleEndpoints: readonly Endpoint[] = [
  listRulesEndpoint,
  changeRulesEndpoint,
  compareRulesEndpoint,
  listRuleHistoryEndpoint,
  rollbackRulesEndpoint,
  listTemporaryRulesEndpoint,
  changeTemporaryRulesEndpoint,
];
