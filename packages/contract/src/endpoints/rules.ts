// The policy rules of a role.
import { type Static, Type } from 'typebox';
import { defineEndpoint } from '../endpoint.ts';
import { IdParams } from '../id.ts';
import { pageFields, pageReply } from '../page.ts';
import { dataReply } from '../reply.ts';

/** Wider than what may be added, so that a stored rule which is not in force can be removed. */
const RuleOfRole = Type.Object({
  method: Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000]+$' }),
  path: Type.String({ minLength: 1, maxLength: 1024, pattern: '^[^\\u0000]+$' }),
});

const most = 1000;

export const RuleChangesBody = Type.Object({
  add: Type.Optional(Type.Array(RuleOfRole, { maxItems: most })),
  remove: Type.Optional(Type.Array(RuleOfRole, { maxItems: most })),
});
export type RuleChangesBody = Static<typeof RuleChangesBody>;

/** How many rules one call may add and remove in all. */
export const ruleChangesLimit = most;

export const changeRulesEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/roles/:id/rules',
  access: 'permission',
  title: 'Add and remove rules of a role, all at once',
  params: IdParams,
  body: RuleChangesBody,
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
  reply: pageReply(Type.Object({ method: Type.String(), path: Type.String() })),
});
