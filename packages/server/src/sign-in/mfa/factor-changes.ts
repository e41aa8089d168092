// Changes of second factors (MFA): enrolment, confirmation, name, end, recovery codes, and the reset by an administrator. A
// change of the factors in force runs under the lock that excludes the storing of sessions, with its audit record. A change that
// ends factors or sessions returns when it is in force on every instance.
import { AppError, type Caller, type Factor } from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import type { SealedSecrets } from '../../base/secrets/sealed-secrets.ts';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import type { Store } from '../../cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '../../logs/audit/record-change.ts';
import { raiseEpoch } from '../../people/users/epoch-store.ts';
import type { UserChange } from '../../people/users/user-changes.ts';
import { endSessionsProvenBy } from '../sessions/end-sessions-store.ts';
import {
  confirm,
  endFactors,
  findRequiredFactor,
  findTotp,
  insertUnconfirmed,
  listFactors,
  lockFactorsOfUser,
  nameFactor,
  removeUnconfirmed,
} from './credential-store.ts';
import { type Confirmation, createFinishFactor } from './finish-factor.ts';
import { type Enroller, lockForChange } from './lock-for-change.ts';
import { callOf, type LoginCaller } from './login-caller.ts';
import { countCodes, openEnrolment, replaceCodes } from './recovery/code-store.ts';
import { generateRecoveryCodes } from './recovery/generate-recovery-codes.ts';
import { generateRecoveryCode, hashRecoveryCode } from './recovery/recovery-code.ts';
import { findStep, toBase32, totpSecretBytes, totpUri } from './totp/totp.ts';

interface FactorChangesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly secrets: SealedSecrets;
  /** The name of this service in an authenticator app. */
  readonly issuer: string;
  readonly now: () => number;
  readonly randomBytes: (size: number) => Buffer;
}

export type FactorChanges = ReturnType<typeof createFactorChanges>;

const enrolmentHours = 24;

export function createFactorChanges(options: FactorChangesOptions) {
  const { store, access, recordChange, secrets, issuer, now, randomBytes } = options;
  const finish = createFinishFactor(options);

  async function addTotp(call: AuditedCall, enroller?: Enroller) {
    const { userId, username } = call.caller;
    const secret = randomBytes(totpSecretBytes);
    let id = 0;
    await access.give(call, async (transaction) => {
      await lockForChange(transaction, userId, enroller);
      const sealedSecret = secrets.seal(userId, secret);
      id = await insertUnconfirmed(transaction, { userId, kind: 'totp', factor: 2, sealedSecret });
      return [];
    });
    return { id, secret: toBase32(secret), uri: totpUri(secret, issuer, username) };
  }

  /** Undefined if the code is wrong. The new app replaces the earlier one, whose sessions end. */
  async function confirmTotp(
    call: AuditedCall,
    id: number,
    otp: string,
    enroller?: Enroller,
  ): Promise<Confirmation | undefined> {
    const { userId } = call.caller;
    let confirmed: Confirmation | undefined;
    await access.takeAway(call, async (transaction) => {
      confirmed = undefined;
      await lockForChange(transaction, userId, enroller);
      const isOver = () => new AppError(enroller ? 'captcha_wrong' : 'record_not_found');
      const pending = await findTotp(transaction, userId, id);
      if (pending === undefined) throw isOver();
      const factors = await listFactors(transaction, userId);
      const secret = secrets.open(userId, pending.sealedSecret);
      const step = secret && findStep(secret, otp, { now: now(), after: pending.counter });
      if (step === undefined) return [];
      const replaced = factors.find(({ kind }) => kind === 'totp');
      if (replaced !== undefined) await endFactors(transaction, [replaced.id]);
      if (!(await confirm(transaction, id, { counter: step }))) throw isOver();
      const { confirmation, changes } = await finish(transaction, call, { id, kind: 'totp' }, replaced);
      confirmed = confirmation;
      return changes;
    });
    return confirmed;
  }

  return {
    addTotp: (call: AuditedCall) => addTotp(call),
    confirmTotp: (call: AuditedCall, id: number, otp: string) => confirmTotp(call, id, otp),
    /** For a caller during a login, before a token exists. */
    addTotpAtLogin: (call: LoginCaller) => addTotp(callOf(call), enrollerOf(call)),
    confirmAtLogin: (call: LoginCaller, id: number, otp: string) =>
      confirmTotp(callOf(call), id, otp, enrollerOf(call)),

    async nameOwn(call: AuditedCall, id: number, name: string): Promise<void> {
      const { userId } = call.caller;
      await access.give(call, async (transaction) => {
        const named = (await listFactors(transaction, userId)).find((factor) => factor.id === id);
        if (named === undefined) throw new AppError('record_not_found');
        await nameFactor(transaction, id, name);
        const factor = { factor: named.kind, id };
        const change = { before: { ...factor, name: named.name }, after: { ...factor, name } };
        await recordChange(transaction, call, {
          action: 'user.factor_name',
          target: `user ${userId}`,
          ...change,
        });
        return [];
      });
    },

    async endOwn(call: AuditedCall, id: number): Promise<number> {
      const { userId, roleId } = call.caller;
      return await access.takeAway(call, async (transaction) => {
        await lockFactorsOfUser(transaction, userId);
        const factors = await listFactors(transaction, userId);
        const ended = factors.find((factor) => factor.id === id);
        if (ended === undefined) throw new AppError('record_not_found');
        const left = factors.filter((factor) => factor !== ended);
        const required = await findRequiredFactor(transaction, roleId);
        if (required > 1 && strongest(left) < required) throw new AppError('factor_required_by_role');
        await endFactors(transaction, [id]);
        if (left.length === 0) await replaceCodes(transaction, userId, []);
        const before = { factor: ended.kind, id };
        const entry = { action: 'user.factor_end', target: `user ${userId}`, before, after: null };
        await recordChange(transaction, call, entry);
        return await endSessionsProvenBy(transaction, [id]);
      });
    },

    async makeRecoveryCodes(call: AuditedCall): Promise<string[]> {
      const { userId } = call.caller;
      let codes: string[] = [];
      await access.give(call, async (transaction) => {
        await lockFactorsOfUser(transaction, userId);
        if ((await listFactors(transaction, userId)).length === 0) throw new AppError('conflict');
        codes = await generateRecoveryCodes(transaction, userId, randomBytes);
        const after = { recoveryCodes: codes.length };
        const entry = { action: 'user.recovery_codes', target: `user ${userId}`, before: null, after };
        await recordChange(transaction, call, entry);
        return [];
      });
      return codes;
    },

    /** Reset for a user who lost the factors. All sessions end, and the code allows one enrolment during a login. */
    reset(): { change: UserChange; enrolmentCode: string; expiresAt: Date } {
      const enrolmentCode = generateRecoveryCode(randomBytes);
      const expiresAt = new Date(now() + enrolmentHours * 3_600_000);
      const change: UserChange = {
        kind: 'person',
        way: 'takeAway',
        ofOthers: true,
        action: 'user.factors_remove',
        before: () => ({ factors: true }),
        after: () => ({ factors: false, enrolmentUntil: expiresAt.toISOString() }),
        isDone: () => false,
        async apply(transaction, { id }): Promise<Change[]> {
          await lockFactorsOfUser(transaction, id);
          const factors = await listFactors(transaction, id);
          await endFactors(
            transaction,
            factors.map((factor) => factor.id),
          );
          await removeUnconfirmed(transaction, id);
          await replaceCodes(transaction, id, []);
          await openEnrolment(transaction, id, hashRecoveryCode(id, enrolmentCode), expiresAt);
          return await raiseEpoch(transaction, id);
        },
      };
      return { change, enrolmentCode, expiresAt };
    },

    async list({ userId, roleId }: Pick<Caller, 'userId' | 'roleId'>) {
      const factors = await listFactors(store, userId);
      return {
        items: factors.map(({ id, kind, name, createdAt, usedAt }) => ({
          id,
          kind,
          name,
          createdAt: createdAt.toISOString(),
          usedAt: usedAt?.toISOString() ?? null,
        })),
        recoveryCodesLeft: await countCodes(store, userId),
        requiredFactor: await findRequiredFactor(store, roleId),
      };
    },
  };
}

const enrollerOf = ({ account, provider }: LoginCaller): Enroller => ({
  account,
  isSecondProven: false,
  provider,
});

function strongest(factors: readonly { readonly factor: Factor }[]): number {
  return Math.max(1, ...factors.map(({ factor }) => factor));
}
