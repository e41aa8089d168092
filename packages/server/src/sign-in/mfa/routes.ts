// The MFA endpoints: a user's own factors (TOTP, passkeys, recovery codes), their reset by administrators, and the required
// factor of a role.
import {
  type Account,
  AppError,
  addPasskeyEndpoint,
  addTotpEndpoint,
  beginPasskeyEndpoint,
  type Caller,
  confirmTotpEndpoint,
  createRecoveryCodesEndpoint,
  endOwnFactorEndpoint,
  getRequiredFactorEndpoint,
  listOwnFactorsEndpoint,
  listUserFactorsEndpoint,
  type Route,
  renameOwnFactorEndpoint,
  resetUserFactorsEndpoint,
  route,
  setRequiredFactorEndpoint,
} from '@portcullis/contract';
import { answerWrite } from '../../cluster/answer-write.ts';
import type { CanManageCheck } from '../../people/roles/can-manage/can-manage-check.ts';
import { createUserChanges, type UserChangesOptions } from '../../people/users/user-changes.ts';
import type { Throttle } from '../login/throttle/throttle.ts';
import type { FactorChanges } from './factor-changes.ts';
import type { PasskeyChanges } from './passkey/passkey-changes.ts';
import { createSetRoleFactor, describeRequiredFactor } from './required-factor.ts';

interface FactorRoutesOptions extends UserChangesOptions {
  readonly canManage: Pick<CanManageCheck, 'ofUser' | 'ofRole'>;
  readonly changes: FactorChanges;
  /** Undefined if passkeys are off. */
  readonly passkeys: PasskeyChanges | undefined;
  /** Undefined if the password is wrong, which counts as a failed attempt of this person. */
  readonly verifyPassword: (
    caller: Pick<Caller, 'userId'>,
    username: string,
    password: string,
  ) => Promise<Account | undefined>;
  /** Brute-force protection: a refusal counts as a failed attempt of this person. */
  readonly attemptOwn: Throttle['attemptOwn'];
}

export function factorRoutes(options: FactorRoutesOptions): Route[] {
  const { store, changes, passkeys, verifyPassword, attemptOwn } = options;
  const users = createUserChanges(options);
  const setRoleFactor = createSetRoleFactor({ ...options, passkeysEnabled: passkeys !== undefined });

  async function verifyOwn({ caller, body }: { caller: Caller; body: { oldPassword: string } }) {
    const account = await verifyPassword(caller, caller.username, body.oldPassword);
    if (account?.userId !== caller.userId) throw new AppError('credentials_wrong');
  }

  return [
    route(listOwnFactorsEndpoint, async ({ caller }) => ({ data: await changes.list(caller) })),
    route(addTotpEndpoint, async (call) => {
      await verifyOwn(call);
      return { data: await changes.addTotp(call) };
    }),
    route(confirmTotpEndpoint, async (call) => {
      const { caller, params, body } = call;
      const confirmed = await attemptOwn(
        { userId: caller.userId, proof: 'code' },
        async () => (await changes.confirmTotp(call, params.id, body.otp)) ?? { refused: true },
      );
      if ('refused' in confirmed) throw new AppError('code_wrong');
      const { recoveryCodes } = confirmed;
      return { data: { recoveryCodes: recoveryCodes === undefined ? null : [...recoveryCodes] } };
    }),
    route(beginPasskeyEndpoint, async (call) => {
      if (passkeys === undefined) throw new AppError('passkeys_disabled');
      await verifyOwn(call);
      return { data: await passkeys.begin(call, call.caller) };
    }),
    route(addPasskeyEndpoint, async (call) => {
      if (passkeys === undefined) throw new AppError('passkeys_disabled');
      const added = await passkeys.add(call, call.body);
      if (added === undefined) throw new AppError('passkey_wrong');
      const { credentialId, recoveryCodes } = added;
      return {
        data: {
          id: credentialId,
          recoveryCodes: recoveryCodes === undefined ? null : [...recoveryCodes],
        },
      };
    }),
    route(renameOwnFactorEndpoint, async (call) => {
      await changes.nameOwn(call, call.params.id, call.body.name);
      return { data: null };
    }),
    route(endOwnFactorEndpoint, async (call) => {
      await verifyOwn(call);
      return await answerWrite(call, changes.endOwn(call, call.params.id));
    }),
    route(createRecoveryCodesEndpoint, async (call) => {
      await verifyOwn(call);
      return { data: { recoveryCodes: await changes.makeRecoveryCodes(call) } };
    }),
    route(listUserFactorsEndpoint, async ({ caller, params }) => {
      const { user, isDeleted } = await users.getVisible(caller, params.id);
      if (isDeleted) throw new AppError('record_not_found');
      return { data: await changes.list({ userId: user.id, roleId: user.roleId }) };
    }),
    route(resetUserFactorsEndpoint, async (call) => {
      const { change, enrolmentCode, expiresAt } = changes.reset();
      await answerWrite(call, users.change(call, change));
      return { data: { enrolmentCode, expiresAt: expiresAt.toISOString() } };
    }),
    route(getRequiredFactorEndpoint, async ({ caller, params, query }) => {
      return { data: await describeRequiredFactor(store, caller, params.id, query.requiredFactor) };
    }),
    route(setRequiredFactorEndpoint, (call) => answerWrite(call, setRoleFactor(call))),
  ];
}
