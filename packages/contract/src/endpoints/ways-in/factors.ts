// Endpoints of second factors (MFA): what a person logs in with besides a password, and the factor that a role requires.
import { Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../endpoint.ts';
import { factorKinds, factors } from '../../factor.ts';
import { Id, IdParams } from '../../id.ts';
import { FactorName, NewPasskey, PasskeyCreation } from '../../passkey.ts';
import { dataReply } from '../../reply.ts';

const closed = { additionalProperties: false } as const;
const moment = Type.String({ format: 'date-time' });
const momentOrNull = Type.Union([moment, Type.Null()]);
const count = Type.Integer({ minimum: 0 });

/** Reauthentication: a person who finds an open screen cannot change how its owner logs in. */
const oldPassword = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'The own password, once more.',
});
const WithPassword = Type.Object({ oldPassword }, closed);
const RecoveryCodes = Type.Array(Type.String(), {
  description: 'Ten codes, shown this once, each good once.',
});

const Factors = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Id,
      kind: Type.Enum(factorKinds),
      name: Type.String(),
      createdAt: moment,
      usedAt: momentOrNull,
    }),
  ),
  recoveryCodesLeft: count,
  demanded: Type.Enum(factors, {
    description: 'What the role demands: 1 one factor, 2 a second one, 3 a passkey.',
  }),
});

/** Shown once; unusable until one of its codes has confirmed it. */
export const NewTotp = Type.Object({
  id: Id,
  secret: Type.String({ description: 'In base32, for an authenticator app that reads no picture.' }),
  uri: Type.String({ description: 'The same as an `otpauth://` address: draw it as a QR code.' }),
});

/** Valid for one passkey, for five minutes. */
export const PasskeyToMake = Type.Object({ id: Id, passkey: PasskeyCreation });

export const listOwnFactorsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/user/factors',
  access: 'identity',
  title: 'What you log in with beside your password',
  reply: dataReply(Factors),
});

export const addTotpEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/user/factors/totp',
  access: 'identity',
  title: 'Begin to set up an authenticator app, which replaces the one you have once it is confirmed',
  body: WithPassword,
  bodyLimitBytes: 4096,
  reply: dataReply(NewTotp),
});

export const confirmTotpEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/user/factors/:id/confirmed',
  access: 'identity',
  takesAway: true,
  title: 'Confirm an authenticator app by a code of it, which ends your other sessions that had one factor',
  params: IdParams,
  body: Type.Object({ otp: Type.String({ pattern: '^[0-9]{6}$' }) }, closed),
  example: { body: { otp: '492039' } },
  errors: ['code_wrong'],
  reply: dataReply(
    Type.Object({
      recoveryCodes: Type.Union([RecoveryCodes, Type.Null()], { description: 'Null where you have some.' }),
    }),
  ),
});

export const beginPasskeyEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/user/factors/passkey/begin',
  access: 'identity',
  title: 'Begin to set up a passkey',
  body: WithPassword,
  bodyLimitBytes: 4096,
  errors: ['passkeys_off'],
  reply: dataReply(PasskeyToMake),
});

export const addPasskeyEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/user/factors/passkey',
  access: 'identity',
  takesAway: true,
  title: 'Add the passkey that was made, which ends your other sessions that had one factor',
  body: NewPasskey,
  bodyLimitBytes: 16_384,
  errors: ['passkey_wrong', 'passkeys_off'],
  reply: dataReply(
    Type.Object({
      id: Id,
      recoveryCodes: Type.Union([RecoveryCodes, Type.Null()], { description: 'Null where you have some.' }),
    }),
  ),
});

export const nameOwnFactorEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/user/factors/:id/name',
  access: 'identity',
  title: 'Say what a factor of your own is called',
  params: IdParams,
  body: Type.Object({ name: FactorName }, closed),
  example: { body: { name: 'My laptop' } },
  reply: dataReply(Type.Null()),
});

export const endOwnFactorEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/user/factors/:id/ended',
  access: 'identity',
  takesAway: true,
  title: 'Remove a factor of your own, which ends the sessions that it proved',
  params: IdParams,
  body: WithPassword,
  bodyLimitBytes: 4096,
  errors: ['factor_demanded'],
  reply: dataReply(Type.Null()),
});

export const makeRecoveryCodesEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/user/recovery-codes',
  access: 'identity',
  title: 'Make new recovery codes, which end the old ones',
  body: WithPassword,
  bodyLimitBytes: 4096,
  reply: dataReply(Type.Object({ recoveryCodes: RecoveryCodes })),
});

export const listUserFactorsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/users/:id/factors',
  access: 'permission',
  title: 'What a user logs in with beside the password',
  params: IdParams,
  reply: dataReply(Factors),
});

export const takeUserFactorsEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/users/:id/factors',
  access: 'permission',
  takesAway: true,
  title: 'Take away the factors of a user who lost them, which ends all the sessions and opens one enrolment',
  params: IdParams,
  errors: ['service_account'],
  reply: dataReply(
    Type.Object({
      enrolmentCode: Type.String({
        description: 'Shown this once. It sets up one factor on the way in, where the role demands one.',
      }),
      expiresAt: moment,
    }),
  ),
});

export const getRoleFactorEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/roles/:id/factor',
  access: 'permission',
  title: 'What a role demands, and whom a higher demand would meet',
  params: IdParams,
  query: Type.Object({ factor: Type.Optional(Type.Integer({ minimum: 1, maximum: 3 })) }),
  reply: dataReply(
    Type.Object({
      factor: Type.Enum(factors),
      sessions: Type.Union([count, Type.Null()], {
        description:
          'Sessions that the asked demand would end, counted up to 10,000; null where the data scope is not all.',
      }),
      users: Type.Union([count, Type.Null()], {
        description: 'Enabled users who have nothing that proves as much, counted in the same way.',
      }),
    }),
  ),
});

export const setRoleFactorEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/roles/:id/factor',
  access: 'permission',
  takesAway: true,
  title: 'Say what a role demands, which ends every weaker session',
  params: IdParams,
  body: Type.Object({ factor: Type.Enum(factors) }, closed),
  example: { body: { factor: 2 } },
  errors: ['passkeys_off'],
  reply: dataReply(Type.Null()),
});

export const factorEndpoints: readonly Endpoint[] = [
  listOwnFactorsEndpoint,
  addTotpEndpoint,
  confirmTotpEndpoint,
  beginPasskeyEndpoint,
  addPasskeyEndpoint,
  nameOwnFactorEndpoint,
  endOwnFactorEndpoint,
  makeRecoveryCodesEndpoint,
  listUserFactorsEndpoint,
  takeUserFactorsEndpoint,
  getRoleFactorEndpoint,
  setRoleFactorEndpoint,
];
