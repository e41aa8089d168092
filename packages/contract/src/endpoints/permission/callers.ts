// Endpoint that lists who can call a path with a method: the roles, each with its rule, and the people who have them.
import { type Static, Type } from 'typebox';
import { accesses, defineEndpoint, type Endpoint } from '../../endpoint.ts';
import { pageFields, pageProperties } from '../../page.ts';
import { dataReply } from '../../reply.ts';
import { countedUsersLimit } from '../rules.ts';

const listedMost = 1000;

/** How many roles an answer lists; it counts all of them. */
export const callingRolesLimit = listedMost;

const Rule = Type.Object({ method: Type.String(), path: Type.String() });
const allowing = {
  rule: Type.Union([Rule, Type.Null()], {
    description: 'The most specific rule that allows it; null for `admin`, who needs none.',
  }),
  reach: Type.Enum(['some', 'all'], {
    description: 'Of a path with parameters: whether all of its paths may be called, or some.',
  }),
};
const roleFields = { roleId: Type.Integer(), roleKey: Type.String(), roleName: Type.String() };

const CallingRole = Type.Object({ ...roleFields, ...allowing });
/** A role that can call an endpoint. */
export type CallingRole = Static<typeof CallingRole>;

const CallingPerson = Type.Object({
  id: Type.Integer(),
  username: Type.String(),
  name: Type.String(),
  departmentId: Type.Integer(),
  departmentName: Type.String(),
  ...roleFields,
  ...allowing,
});
/** A person who can call an endpoint. */
export type CallingPerson = Static<typeof CallingPerson>;

const Callers = Type.Object({
  endpoint: Type.Union(
    [
      Type.Object({
        method: Type.String(),
        path: Type.String(),
        title: Type.String(),
        access: Type.Enum(accesses),
        excluded: Type.Boolean({ description: 'On the exclusion list: it needs no rule.' }),
      }),
      Type.Null(),
    ],
    {
      description:
        'The endpoint of this service that it is, and what it asks of a caller; null where it is none of ours.',
    },
  ),
  needsRule: Type.Boolean({
    description:
      'False where everybody, or everybody who is signed in, can call it: then neither roles nor people are listed.',
  }),
  roles: Type.Object({
    count: Type.Integer({ minimum: 0 }),
    items: Type.Array(CallingRole, { description: `The first ${listedMost} at most, \`admin\` last.` }),
  }),
  people: Type.Object({
    count: Type.Integer({ minimum: 0, description: 'Whom the data scope does not reach is not counted.' }),
    more: Type.Boolean({
      description: `True where there may be more: no more than ${countedUsersLimit} are looked at.`,
    }),
  }),
  ...pageProperties(CallingPerson),
  revision: Type.Integer({ description: 'Of the rules that were asked.' }),
});
/** The roles and people who can call an endpoint. */
export type Callers = Static<typeof Callers>;

export const listCallersEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/routes/callers',
  access: 'permission',
  title: 'List who can call a path, by which role and rule, as far as the data scope reaches',
  query: Type.Object({
    ...pageFields,
    method: Type.String({ minLength: 1, maxLength: 32, pattern: '^[!-~]+$' }),
    path: Type.String({
      minLength: 1,
      maxLength: 4096,
      pattern: '^[^\\u0000]+$',
      description: 'One that is called, or one that is declared, with its `:name`.',
    }),
  }),
  reply: dataReply(Callers),
  example: { query: { method: 'DELETE', path: '/api/v1/orders/:id' } },
});

export const callerEndpoints: readonly Endpoint[] = [listCallersEndpoint];
