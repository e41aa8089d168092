// GET /api/v1/getinfo: what a front end asks for right after login.
import { Type } from 'typebox';
import { defineEndpoint } from '../endpoint.ts';
import { dataReply } from '../reply.ts';

export const getInfoEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/getinfo',
  access: 'identity',
  forDuePassword: true,
  title: 'Who am I, and what may my role do',
  reply: dataReply(
    Type.Object({
      userId: Type.Integer(),
      userName: Type.String(),
      name: Type.String(),
      avatar: Type.String(),
      introduction: Type.String(),
      deptId: Type.Integer(),
      roles: Type.Array(Type.String()),
      permissions: Type.Array(Type.String()),
      buttons: Type.Array(Type.String()),
    }),
  ),
});
