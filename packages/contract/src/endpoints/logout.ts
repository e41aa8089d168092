// POST /api/v1/logout: ends the presented token.
import { Type } from 'typebox';
import { defineEndpoint } from '../endpoint.ts';
import { dataReply } from '../reply.ts';

export const logoutEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/logout',
  access: 'permission',
  excludable: true,
  forDuePassword: true,
  title: 'Log out',
  reply: dataReply(Type.Null()),
});
