// Endpoints of login, which is the only source of tokens, and of logout. The captcha has a second path, for go-admin front ends.
import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../endpoint.ts';
import { factorKinds, loginMethods } from '../../factor.ts';
import { NewPasskey, PasskeyAssertion, PasskeyRequest } from '../../passkey.ts';
import { ProviderButton, ProviderKey } from '../../provider.ts';
import { dataReply, reply } from '../../reply.ts';
import { ProviderAnswer } from './provider-links.ts';
import { NewTotp, PasskeyToMake } from './second-factors.ts';

const captcha = {
  method: 'GET',
  access: 'public',
  excludable: true,
  title: 'Fetch a captcha',
  query: Type.Object({
    for: Type.Optional(
      Type.Literal('key', {
        description:
          '`key`: a text instead of a picture. Only the login of a service account with its key accepts it, and signs it.',
      }),
    ),
  }),
  errors: ['service_account_keys_disabled'],
  reply: reply({
    id: Type.String({ description: 'Send it back as `uuid` in login.' }),
    data: Type.String({ description: 'The picture, as a data URL; with `for=key` the text.' }),
    skipped: Type.Optional(
      Type.Literal(true, { description: 'Only in `application.mode` dev: login needs no captcha.' }),
    ),
    msg: Type.String(),
  }),
} as const;

export const captchaEndpoint = defineEndpoint({ ...captcha, path: '/api/v1/getCaptcha' });
export const goAdminCaptchaEndpoint = defineEndpoint({ ...captcha, path: '/api/v1/captcha' });

/** `uuid` and `code` can be missing here because `application.mode` dev skips the captcha; otherwise login requires them. */
const captchaFields = {
  uuid: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 16 })),
};
const closed = { additionalProperties: false } as const;

/** 256 random bits in base64url. */
const FlowId = Type.String({
  pattern: '^[A-Za-z0-9_-]{43}$',
  description: 'The id that `login/begin` returned. It is no token: only login accepts it.',
});

export const loginMethodsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/login/methods',
  access: 'public',
  excludable: true,
  title: 'List the enabled sign-in methods',
  reply: dataReply(
    Type.Object({
      methods: Type.Array(Type.Enum(loginMethods)),
      providers: Type.Array(ProviderButton, {
        description: 'The enabled providers. `login/begin` takes the key of one.',
      }),
      passwordReset: Type.Boolean({
        description: 'Whether people can request a link for a forgotten password.',
      }),
    }),
  ),
});

export const beginLoginEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/login/begin',
  access: 'public',
  excludable: true,
  title: 'Begin a login of several steps',
  body: Type.Object({ ...captchaFields, provider: Type.Optional(ProviderKey) }, closed),
  bodyLimitBytes: 4096,
  example: { body: { uuid: 'hP4nWc0kT1uJx8yQ', code: 'K7WQP' } },
  errors: ['captcha_missing', 'captcha_wrong', 'provider_unknown', 'provider_unavailable'],
  reply: dataReply(
    Type.Object({
      flowId: FlowId,
      expiresAt: Type.String({ format: 'date-time' }),
      passkey: Type.Optional(PasskeyRequest),
      url: Type.Optional(
        Type.String({
          description:
            'With a provider: the URL to which the page sends the browser. Keep `flowId` until the browser comes back.',
        }),
      ),
    }),
  ),
});

/** The four fields of the specification. A login that began with `login/begin` also sends its flow id, and the same captcha. */
export const LoginBody = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 64 }),
  password: Type.String({ minLength: 1, maxLength: 256 }),
  ...captchaFields,
  flowId: Type.Optional(FlowId),
  invitation: Type.Optional(
    Type.String({
      minLength: 16,
      maxLength: 32,
      description:
        'The code of an administrator, which links this account at the first login with a directory. Username and password are then those of the directory.',
    }),
  ),
});
export type LoginBody = Static<typeof LoginBody>;

const steps = { flowId: FlowId, ...captchaFields };

/** The next step of a login that was refused with `factor_required`. A passkey can also be the first step. */
export const LoginStep = Type.Union([
  Type.Object({ ...steps, otp: Type.String({ pattern: '^[0-9]{6}$' }) }, closed),
  Type.Object({ ...steps, recoveryCode: Type.String({ minLength: 16, maxLength: 32 }) }, closed),
  Type.Object({ ...steps, passkey: PasskeyAssertion }, closed),
  Type.Object({ ...steps, registration: NewPasskey }, closed),
  Type.Object(
    {
      ...steps,
      provider: ProviderKey,
      answer: ProviderAnswer,
      invitation: Type.Optional(
        Type.String({
          minLength: 16,
          maxLength: 32,
          description: 'The code of an administrator, which links this account at the first sign-in.',
        }),
      ),
    },
    closed,
  ),
]);
export type LoginStep = Static<typeof LoginStep>;

/** A login with the key of a service account, which signs the text of `getCaptcha?for=key`. */
export const LoginByKey = Type.Object(
  {
    ...captchaFields,
    assertion: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,512}\\.[A-Za-z0-9_-]{1,1024}\\.[A-Za-z0-9_-]{86}$',
      description: 'A JWT of the type `portcullis-login+jwt`, signed with the key.',
      examples: [`AAAA.AAAA.${'A'.repeat(86)}`],
    }),
  },
  closed,
);
export type LoginByKey = Static<typeof LoginByKey>;

export const loginEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/login',
  access: 'public',
  excludable: true,
  title: 'Log in',
  body: Type.Union([LoginBody, LoginStep, LoginByKey]),
  bodyLimitBytes: 4096,
  example: {
    body: {
      username: 'mei',
      password: 'seven-otters-carry-lanterns',
      uuid: 'hP4nWc0kT1uJx8yQ',
      code: 'K7WQP',
    },
  },
  errors: [
    'factor_required',
    'code_wrong',
    'passkey_wrong',
    'key_wrong',
    'provider_refused',
    'provider_unknown',
    'provider_unavailable',
    'provider_link_missing',
  ],
  reply: reply({
    token: Type.String({ description: 'A JWT, signed with ES256.' }),
    expire: Type.String({ format: 'date-time', description: "The token's expiry time, RFC 3339 in UTC." }),
    recoveryCodes: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Only after a login that set up the first second factor: ten codes. They are shown only in this answer, and each works once.',
      }),
    ),
  }),
});

export const enrolAtLoginEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/login/enrol',
  access: 'public',
  excludable: true,
  title: 'Set up a second factor during login, if the role requires one',
  body: Type.Object(
    {
      ...steps,
      kind: Type.Enum(factorKinds),
      enrolmentCode: Type.Optional(Type.String({ minLength: 16, maxLength: 32 })),
    },
    closed,
  ),
  bodyLimitBytes: 4096,
  example: { body: { flowId: 'x'.repeat(43), uuid: 'hP4nWc0kT1uJx8yQ', code: 'K7WQP', kind: 'totp' } },
  errors: ['captcha_missing', 'captcha_wrong', 'code_wrong', 'factor_required', 'conflict'],
  reply: dataReply(Type.Union([NewTotp, PasskeyToMake])),
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
  loginMethodsEndpoint,
  beginLoginEndpoint,
  loginEndpoint,
  enrolAtLoginEndpoint,
  logoutEndpoint,
];
