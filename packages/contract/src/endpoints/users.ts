// What an administrator changes about a user's access.
import { Type } from 'typebox';
import { defineEndpoint } from '../endpoint.ts';
import { Id, IdParams } from '../id.ts';
import { dataReply } from '../reply.ts';

export const setUserEnabledEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/users/:id/enabled',
  access: 'permission',
  title: 'Enable or disable a user',
  params: IdParams,
  body: Type.Object({ enabled: Type.Boolean() }),
  reply: dataReply(Type.Null()),
});

export const setUserPasswordEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/users/:id/password',
  access: 'permission',
  title: 'Set the password of a user',
  params: IdParams,
  body: Type.Object({ password: Type.String({ minLength: 1, maxLength: 256 }) }),
  bodyLimitBytes: 4096,
  reply: dataReply(Type.Null()),
});

export const setUserRoleEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/users/:id/role',
  access: 'permission',
  title: 'Give a user another role',
  params: IdParams,
  body: Type.Object({ roleId: Id }),
  reply: dataReply(Type.Null()),
});

export const deleteUserEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/users/:id',
  access: 'permission',
  title: 'Delete a user',
  params: IdParams,
  reply: dataReply(Type.Null()),
});
