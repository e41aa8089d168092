// Endpoints of the caller's own account.
import { Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { dataReply } from '../reply.ts';
import { NewPassword } from './users.ts';

/** In the form that go-admin front ends read. */
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
        roleIds: Type.Array(Type.Integer(), {
          description: 'The one role, where go-admin front ends look for it.',
        }),
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

/** What a front end asks for right after login. */
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

/** The only change that a caller can make whose password was set by another person. */
export const setOwnPasswordEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/user/password',
  access: 'identity',
  takesAway: true,
  forDuePassword: true,
  title: 'Change your own password, which ends all your sessions',
  body: Type.Object(
    { oldPassword: Type.String({ minLength: 1, maxLength: 256 }), newPassword: NewPassword },
    { additionalProperties: false },
  ),
  bodyLimitBytes: 4096,
  errors: ['provider_login_required'],
  reply: dataReply(Type.Null()),
});

export const ownEndpoints: readonly Endpoint[] = [profileEndpoint, getInfoEndpoint, setOwnPasswordEndpoint];
