// The next steps of a login whose proof is below the required factor: the methods that complete it, or the factors that can be
// enrolled during the login.
import { type Account, AppError, type FactorDetails, type FactorKind } from '@portcullis/contract';
import type { Store } from '../../cluster/store/store.ts';
import { firstStepProvider } from '../login/first-step-provider.ts';
import type { LoginFlow } from '../login/login-flows.ts';
import { findRequiredFactor, hadFactor, listFactors } from './credential-store.ts';
import type { FactorChanges } from './factor-changes.ts';
import { isSecondProven } from './lock-for-change.ts';
import type { PasskeyChanges } from './passkey/passkey-changes.ts';
import { countCodes, isEnrolmentOpen } from './recovery/code-store.ts';
import { hashRecoveryCode } from './recovery/recovery-code.ts';

export interface EnrolCall {
  readonly account: Account;
  readonly flow: LoginFlow;
  readonly kind: FactorKind;
  readonly enrolmentCode: string | undefined;
  readonly ip: string;
  readonly requestId: string;
}

export interface NextStepsOptions {
  readonly store: Store;
  readonly changes: Pick<FactorChanges, 'addTotpAtLogin'>;
  /** Undefined if passkeys are off. */
  readonly passkeys: Pick<PasskeyChanges, 'beginAtLogin'> | undefined;
}

export function createNextSteps({ store, changes, passkeys }: NextStepsOptions) {
  async function describe({ userId, roleId }: Account, passed: readonly string[]): Promise<FactorDetails> {
    const factors = await listFactors(store, userId);
    const required = Math.max(await findRequiredFactor(store, roleId), factors.length > 0 ? 2 : 1);
    const isSecond = isSecondProven(passed);
    const usable = factors.filter(({ kind }) => kind !== 'passkey' || passkeys !== undefined);
    const hasPasskey = factors.some(({ factor }) => factor === 3);
    // If a passkey is required and the account has none, another factor authorizes its registration.
    const least = required === 3 && !hasPasskey ? 2 : required;
    const fitting = usable.filter(({ factor }) => factor >= least && !(isSecond && factor < 3));
    const methods: FactorDetails['methods'] = [...new Set(fitting.map(({ kind }) => kind))];
    if (least === 2 && !isSecond && (await countCodes(store, userId)) > 0) methods.push('recovery');
    const mayEnrol = methods.length === 0 && (factors.length === 0 || (isSecond && !hasPasskey));
    const kinds: FactorKind[] = [
      ...(required === 2 && factors.length === 0 ? (['totp'] as const) : []),
      ...(required > 1 && passkeys !== undefined ? (['passkey'] as const) : []),
    ];
    const enrol = mayEnrol ? kinds : [];
    return {
      methods,
      enrol,
      codeRequired: enrol.length > 0 && !isSecond && (await hadFactor(store, userId)),
    };
  }

  return {
    describe,
    /** Begins to enrol a factor during a login, for an account that has no factor that completes it. */
    async enrol({ account, flow, kind, enrolmentCode = '', ip, requestId }: EnrolCall) {
      const next = await describe(account, flow.passed);
      if (!next.enrol.includes(kind)) throw new AppError('factor_required', { details: next });
      const hash = hashRecoveryCode(account.userId, enrolmentCode);
      if (next.codeRequired && !(await isEnrolmentOpen(store, account.userId, hash)))
        throw new AppError('code_wrong');
      const call = { account, ip, requestId, provider: firstStepProvider(flow) };
      const added =
        kind === 'passkey' && passkeys !== undefined
          ? await passkeys.beginAtLogin(call, isSecondProven(flow.passed))
          : await changes.addTotpAtLogin(call);
      await flow.enrol(added.id);
      return added;
    },
  };
}
