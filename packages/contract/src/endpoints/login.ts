// POST /api/v1/login: the only way to a token.
import { type Static, Type } from 'typebox';
import { defineEndpoint } from '../endpoint.ts';
import { reply } from '../reply.ts';

/** `uuid` and `code` may be missing here because `application.mode` dev skips the captcha; login itself asks for them. */
export const LoginBody = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 64 }),
  password: Type.String({ minLength: 1, maxLength: 256 }),
  uuid: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 16 })),
});
export type LoginBody = Static<typeof LoginBody>;

export const loginEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/login',
  access: 'public',
  excludable: true,
  title: 'Log in',
  body: LoginBody,
  bodyLimitBytes: 4096,
  example: {
    body: {
      username: 'mei',
      password: 'seven-otters-carry-lanterns',
      uuid: 'hP4nWc0kT1uJx8yQ',
      code: 'K7WQP',
    },
  },
  reply: reply({
    token: Type.String({ description: 'A JWT, signed with ES256.' }),
    expire: Type.String({ format: 'date-time', description: "The token's expiry time, RFC 3339 in UTC." }),
  }),
});
