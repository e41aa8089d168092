// Endpoints that explain permissions: why a role or a user is or is not allowed to call a path with a method.
import { type Static, Type } from 'typebox';
import { accesses, defineEndpoint, type Endpoint } from '../../endpoint.ts';
import { Id, IdParams } from '../../id.ts';
import { dataReply } from '../../reply.ts';
import { roleKeyPattern } from '../../role.ts';

/**
 * The steps of a decision in order. The first, those from `user_disabled` to `password_change_required` and the last one refuse; the others
 * allow.
 */
export const explainSteps = [
  'not_canonical',
  'public',
  'user_disabled',
  'role_disabled',
  'password_change_required',
  'identity',
  'admin',
  'excluded',
  'rule',
  'no_rule',
] as const;
export type ExplainStep = (typeof explainSteps)[number];

const Rule = Type.Object({ method: Type.String(), path: Type.String() });

const Difference = Type.Object({
  kind: Type.Enum(['method', 'segment', 'missing', 'extra']),
  place: Type.Optional(Type.Integer({ description: 'The segment, counted from 1.' })),
  expected: Type.Optional(Type.String({ description: 'What the rule has.' })),
  actual: Type.Optional(Type.String({ description: 'What the request has.' })),
});

const Subject = Type.Object({
  userId: Type.Union([Type.Integer(), Type.Null()]),
  username: Type.Union([Type.String(), Type.Null()]),
  roleKey: Type.String(),
  userEnabled: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'Null where a role is asked about.',
  }),
  roleEnabled: Type.Boolean(),
  passwordChangeRequired: Type.Boolean({ description: 'Whether the user must change the password first.' }),
});

const Explained = Type.Object({
  decision: Type.Enum(['allow', 'deny']),
  step: Type.Enum(explainSteps, { description: 'What decided.' }),
  sentence: Type.String({ description: 'The same in English.' }),
  subject: Subject,
  endpoint: Type.Union([
    Type.Object({
      method: Type.String(),
      path: Type.String(),
      title: Type.String(),
      access: Type.Enum(accesses),
    }),
    Type.Null(),
  ]),
  rule: Type.Union([Rule, Type.Null()], { description: 'The most specific rule that allows it.' }),
  nearest: Type.Array(Type.Object({ rule: Rule, differs: Type.Array(Difference) }), {
    description: 'Rules of the role that almost allow it, the nearest first.',
  }),
  revision: Type.Integer({ description: 'Of the rules that were asked.' }),
});
export type Explained = Static<typeof Explained>;

export const explainEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/explain',
  access: 'permission',
  title: 'Explain why a role or a user may call a path, or may not',
  query: Type.Object({
    roleKey: Type.Optional(Type.String({ pattern: roleKeyPattern })),
    userId: Type.Optional(Type.Integer({ ...Id, description: 'Instead of a role: one of the two.' })),
    method: Type.String({ minLength: 1, maxLength: 32, pattern: '^[!-~]+$' }),
    path: Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\u0000]+$' }),
  }),
  reply: dataReply(Explained),
  example: { query: { userId: 7, method: 'DELETE', path: '/api/v1/orders/7' } },
});

/** How many routes an answer lists; it counts all of them. */
export const accessRoutesLimit = 5000;
/** How many of the rules that allow a route are listed. */
export const accessRulesLimit = 5;

const AccessRoute = Type.Object({
  service: Type.String(),
  method: Type.String(),
  path: Type.String(),
  title: Type.String(),
  by: Type.Enum(['public', 'identity', 'admin', 'excluded', 'rule'], { description: 'What allows it.' }),
  reach: Type.Enum(['all', 'some'], { description: 'Whether all of its paths may be called.' }),
  rules: Type.Array(Rule, {
    description: `The rules of the role that allow it or some of its paths, the one of this very route first; ${accessRulesLimit} at most.`,
  }),
});
/** A route that a user is allowed to call. */
export type AccessRoute = Static<typeof AccessRoute>;

export const listUserAccessEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/users/:id/access',
  access: 'permission',
  title: 'List what a user may call, and by which rules',
  params: IdParams,
  reply: dataReply(
    Type.Object({
      subject: Subject,
      blockedBy: Type.Union(
        [Type.Enum(['user_disabled', 'role_disabled', 'password_change_required']), Type.Null()],
        {
          description: 'What keeps the user from calling any of it but what is public.',
        },
      ),
      routes: Type.Object({
        count: Type.Integer({ minimum: 0 }),
        items: Type.Array(AccessRoute, {
          description: `The first ${accessRoutesLimit} at most; our own come first.`,
        }),
      }),
      complete: Type.Boolean({
        description: 'False where comparing was abandoned: then routes or rules may be missing.',
      }),
    }),
  ),
});

export const explainEndpoints: readonly Endpoint[] = [explainEndpoint, listUserAccessEndpoint];
