// PUT /api/v1/user/password: the one thing that a caller may change whose password somebody else gave.
import { Type } from 'typebox';
import { defineEndpoint } from '../endpoint.ts';
import { dataReply } from '../reply.ts';
import { NewPassword } from './users.ts';

export const setOwnPasswordEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/user/password',
  access: 'identity',
  forDuePassword: true,
  title: 'Change your own password, which ends all your sessions',
  body: Type.Object(
    { oldPassword: Type.String({ minLength: 1, maxLength: 256 }), newPassword: NewPassword },
    { additionalProperties: false },
  ),
  bodyLimitBytes: 4096,
  reply: dataReply(Type.Null()),
});
