// GET /api/v1/user/profile: the caller's own record, in the shape that go-admin front ends read.
import { Type } from 'typebox';
import { defineEndpoint } from '../endpoint.ts';
import { dataReply } from '../reply.ts';

export const profileEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/user/profile',
  access: 'permission',
  excludable: true,
  forDuePassword: true,
  title: 'View your own profile',
  reply: dataReply(
    Type.Object({
      user: Type.Object({
        userId: Type.Integer(),
        username: Type.String(),
        nickName: Type.String(),
        avatar: Type.String(),
        roleId: Type.Integer(),
        deptId: Type.Integer(),
        dept: Type.Object({ deptId: Type.Integer(), deptName: Type.String() }),
        createdAt: Type.String({ format: 'date-time' }),
      }),
      roles: Type.Array(
        Type.Object({
          roleId: Type.Integer(),
          roleName: Type.String(),
          roleKey: Type.String(),
          dataScope: Type.String(),
        }),
      ),
      posts: Type.Array(Type.Unknown()),
    }),
  ),
});
