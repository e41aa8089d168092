// Endpoints of second factors (MFA): authenticator apps, passkeys, recovery codes, and the factor that a role requires.
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

/** Reauthentication: a person at an unlocked screen cannot change how its owner logs in. */
const oldPassword = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'The current password of the caller.',
});
const WithPassword = Type.Object({ oldPassword }, closed);
const RecoveryCodes = Type.Array(Type.String(), {
  description: 'Ten codes. They are shown only in this answer, and each works once.',
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
  requiredFactor: Type.Enum(factors, {
    description: 'What the role requires at login: 1 one factor, 2 a second factor, 3 a passkey.',
  }),
});

/** Shown once; unusable until one of its codes confirms it. */
export const NewTotp = Type.Object({
  id: Id,
  secret: Type.String({ description: 'In base32, for an authenticator app that cannot scan a QR code.' }),
  uri: Type.String({ description: 'The same secret as an `otpauth://` address, for a QR code.' }),
});

/** Valid for one passkey, for five minutes. */
export const PasskeyToMake = Type.Object({ id: Id, passkey: PasskeyCreation });

export const listOwnFactorsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/user/factors',
  access: 'identity',
  title: 'List your second factors',
  reply: dataReply(Factors),
});

export const addTotpEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/user/factors/totp',
  access: 'identity',
  title: 'Begin to set up an authenticator app; once confirmed, it replaces your earlier one',
  body: WithPassword,
  bodyLimitBytes: 4096,
  reply: dataReply(NewTotp),
});

export const confirmTotpEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/user/factors/:id/confirmed',
  access: 'identity',
  takesAway: true,
  title:
    'Confirm an authenticator app with one of its codes, which ends your other sessions that proved one factor',
  params: IdParams,
  body: Type.Object({ otp: Type.String({ pattern: '^[0-9]{6}$' }) }, closed),
  example: { body: { otp: '492039' } },
  errors: ['code_wrong'],
  reply: dataReply(
    Type.Object({
      recoveryCodes: Type.Union([RecoveryCodes, Type.Null()], {
        description: 'Null if you have recovery codes.',
      }),
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
  errors: ['passkeys_disabled'],
  reply: dataReply(PasskeyToMake),
});

export const addPasskeyEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/user/factors/passkey',
  access: 'identity',
  takesAway: true,
  title: 'Add the created passkey, which ends your other sessions that proved one factor',
  body: NewPasskey,
  bodyLimitBytes: 16_384,
  errors: ['passkey_wrong', 'passkeys_disabled'],
  reply: dataReply(
    Type.Object({
      id: Id,
      recoveryCodes: Type.Union([RecoveryCodes, Type.Null()], {
        description: 'Null if you have recovery codes.',
      }),
    }),
  ),
});

export const renameOwnFactorEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/user/factors/:id/name',
  access: 'identity',
  title: 'Rename one of your second factors',
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
  title: 'Remove one of your second factors, which ends the sessions that it proved',
  params: IdParams,
  body: WithPassword,
  bodyLimitBytes: 4096,
  errors: ['factor_required_by_role'],
  reply: dataReply(Type.Null()),
});

export const createRecoveryCodesEndpoint = defineEndpoint({
  method: 'POST',
  path: '/api/v1/user/recovery-codes',
  access: 'identity',
  title: 'Create new recovery codes, which replace the old ones',
  body: WithPassword,
  bodyLimitBytes: 4096,
  reply: dataReply(Type.Object({ recoveryCodes: RecoveryCodes })),
});

export const listUserFactorsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/users/:id/factors',
  access: 'permission',
  title: 'List the second factors of a user',
  params: IdParams,
  reply: dataReply(Factors),
});

export const resetUserFactorsEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/api/v1/users/:id/factors',
  access: 'permission',
  takesAway: true,
  title: 'Reset the second factors of a user, which ends all sessions of the user and allows one enrolment',
  params: IdParams,
  errors: ['account_kind_wrong'],
  reply: dataReply(
    Type.Object({
      enrolmentCode: Type.String({
        description:
          'Shown only in this answer. If the role requires a factor, the code lets the user set up one during login.',
      }),
      expiresAt: moment,
    }),
  ),
});

export const getRequiredFactorEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/roles/:id/required-factor',
  access: 'permission',
  title: 'View the factor that a role requires, and how many sessions and users another one would affect',
  params: IdParams,
  query: Type.Object({
    requiredFactor: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3, description: 'The counts are of this one.' }),
    ),
  }),
  reply: dataReply(
    Type.Object({
      requiredFactor: Type.Enum(factors),
      sessions: Type.Union([count, Type.Null()], {
        description:
          'Sessions that prove less, counted up to 10,000; null if the data scope of the caller is not all.',
      }),
      users: Type.Union([count, Type.Null()], {
        description: 'Enabled users without such a factor, counted in the same way.',
      }),
    }),
  ),
});

export const setRequiredFactorEndpoint = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/roles/:id/required-factor',
  access: 'permission',
  takesAway: true,
  title: 'Set the factor that a role requires, which ends every session that proves less',
  params: IdParams,
  body: Type.Object({ requiredFactor: Type.Enum(factors) }, closed),
  example: { body: { requiredFactor: 2 } },
  errors: ['passkeys_disabled'],
  reply: dataReply(Type.Null()),
});

export const factorEndpoints: readonly Endpoint[] = [
  listOwnFactorsEndpoint,
  addTotpEndpoint,
  confirmTotpEndpoint,
  beginPasskeyEndpoint,
  addPasskeyEndpoint,
  renameOwnFactorEndpoint,
  endOwnFactorEndpoint,
  createRecoveryCodesEndpoint,
  listUserFactorsEndpoint,
  resetUserFactorsEndpoint,
  getRequiredFactorEndpoint,
  setRequiredFactorEndpoint,
];
