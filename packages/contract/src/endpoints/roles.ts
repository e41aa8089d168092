// What an administrator changes about a role itself; its rules are in rules.ts.
import { Type } from 'typebox';
import { defineEndpoint } from '../endpoint.ts';
import { Id, IdParams } from '../id.ts';
import { dataReply } from '../reply.ts';
import { dataScopes } from '../role.ts';

export const setRoleEnabledEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/roles/:id/enabled',
  access: 'permission',
  title: 'Enable or disable a role',
  params: IdParams,
  body: Type.Object({ enabled: Type.Boolean() }),
  reply: dataReply(Type.Null()),
});

export const setRoleDataScopeEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/roles/:id/data-scope',
  access: 'permission',
  title: 'Set the data scope of a role',
  params: IdParams,
  body: Type.Object({
    dataScope: Type.Enum(dataScopes),
    departmentIds: Type.Optional(
      Type.Array(Id, { maxItems: 1000, description: 'All departments of scope 2; required with it.' }),
    ),
  }),
  bodyLimitBytes: 32 * 1024,
  reply: dataReply(Type.Null()),
});
