// What somebody has to do who proved too little: what completes the login, or what can be set up on the way in.
import { type Account, AppError, type FactorDetails, type FactorKind } from '@portcullis/contract';
import type { Attempt } from '../login/attempts.ts';
import type { Store } from '../store/store.ts';
import { findDemand, hadFactor, listFactors } from './credential-store.ts';
import type { FactorChanges } from './factor-changes.ts';
import { countCodes, isEnrolmentOpen } from './recovery/code-store.ts';
import { hashOneTimeCode } from './recovery/one-time-code.ts';

interface EnrolCall {
  readonly account: Account;
  readonly attempt: Attempt;
  readonly kind: FactorKind;
  readonly enrolmentCode: string | undefined;
  readonly ip: string;
  readonly requestId: string;
}

export function createNextSteps(store: Store, changes: Pick<FactorChanges, 'addTotpAtLogin'>) {
  async function describe({ userId, roleId }: Account, passed: readonly string[]): Promise<FactorDetails> {
    const factors = await listFactors(store, userId);
    const demanded = Math.max(await findDemand(store, roleId), factors.length > 0 ? 2 : 1);
    const isSecond = passed.some((method) => method !== 'password');
    const fitting = factors.filter(({ factor }) => factor >= demanded && !(isSecond && factor < 3));
    const methods: FactorDetails['methods'] = [...new Set(fitting.map(({ kind }) => kind))];
    if (demanded === 2 && !isSecond && (await countCodes(store, userId)) > 0) methods.push('recovery');
    const isNew = methods.length === 0;
    const enrol: FactorKind[] = isNew && demanded === 2 && factors.length === 0 ? ['totp'] : [];
    return { methods, enrol, codeRequired: enrol.length > 0 && (await hadFactor(store, userId)) };
  }

  return {
    describe,
    /** Begins to set a factor up, for whoever passed the first step and has none. */
    async enrol({ account, attempt, kind, enrolmentCode = '', ip, requestId }: EnrolCall) {
      const next = await describe(account, attempt.passed);
      if (!next.enrol.includes(kind)) throw new AppError('factor_required', { details: next });
      const hash = hashOneTimeCode(account.userId, enrolmentCode);
      if (next.codeRequired && !(await isEnrolmentOpen(store, account.userId, hash)))
        throw new AppError('code_wrong');
      const added = await changes.addTotpAtLogin({ account, ip, requestId });
      await attempt.enrol(added.id);
      return added;
    },
  };
}
