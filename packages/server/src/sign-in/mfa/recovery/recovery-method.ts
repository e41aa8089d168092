// Recovery code login method: the second step of a login, for a user without a factor at hand.

import type { Store } from '../../../cluster/store/store.ts';
import type { LoginMethod } from '../../login/method.ts';
import { spendCode } from './code-store.ts';
import { hashRecoveryCode } from './recovery-code.ts';

export function createRecoveryMethod(store: Store): LoginMethod {
  return {
    name: 'recovery',
    factor: 2,
    begins: false,
    wrong: 'code_wrong',
    reads: ({ recoveryCode }) => recoveryCode !== undefined,
    async verify({ recoveryCode }, { began: account }) {
      if (account === undefined) return { refused: 'credentials_wrong' };
      const { userId } = account;
      const isSpent = await spendCode(store, userId, hashRecoveryCode(userId, String(recoveryCode)));
      return isSpent ? { account } : { refused: 'credentials_wrong', account };
    },
  };
}
