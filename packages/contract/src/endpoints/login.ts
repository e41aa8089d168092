// Logging in, which is the only way to a token, and out. A captcha has a second path, which go-admin front ends call.
import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../endpoint.ts';
import { dataReply, reply } from '../reply.ts';

const captcha = {
  method: 'GET',
  access: 'public',
  excludable: true,
  title: 'Fetch a captcha',
  reply: reply({
    id: Type.String({ description: 'Send it back as `uuid` in login.' }),
    data: Type.String({ description: 'The picture, as a data URL.' }),
    skipped: Type.Optional(
      Type.Literal(true, { description: 'Only in `application.mode` dev: login asks for no captcha.' }),
    ),
    msg: Type.String(),
  }),
} as const;

export const captchaEndpoint = defineEndpoint({ ...captcha, path: '/api/v1/getCaptcha' });
export const goAdminCaptchaEndpoint = defineEndpoint({ ...captcha, path: '/api/v1/captcha' });

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

/** Ends the presented token. */
export const logoutEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/logout',
  access: 'permission',
  takesAway: true,
  excludable: true,
  forDuePassword: true,
  title: 'Log out',
  reply: dataReply(Type.Null()),
});

export const loginEndpoints: readonly Endpoint[] = [
  captchaEndpoint,
  goAdminCaptchaEndpoint,
  loginEndpoint,
  logoutEndpoint,
];
