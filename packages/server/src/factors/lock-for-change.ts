// The lock under which somebody's factors are changed. On the way in nothing is replaced that the same login did not prove,
// and whose password or role changed meanwhile begins again.
import { type Account, AppError } from '@portcullis/contract';
import { lockEpoch } from '../directory/users/epoch-store.ts';
import type { StoreTransaction } from '../store/store.ts';
import { listFactors, lockFactorsOfUser } from './credential-store.ts';

/** Who sets something up before there is a token. */
export interface Enroller {
  readonly account: Account;
  /** Whether a second factor was proven in the same login. */
  readonly isSecondProven: boolean;
}

/** What a login begins with proves one factor, whoever verified it. */
const firstSteps: readonly string[] = ['password', 'oidc', 'oauth', 'ldap'];

export function isSecondProven(passed: readonly string[]): boolean {
  return passed.some((method) => !firstSteps.includes(method));
}

export async function lockForChange(
  transaction: StoreTransaction,
  userId: number,
  enroller?: Enroller,
): Promise<void> {
  // The user before the factors, as an administrator's change has them.
  const user = enroller && (await lockEpoch(transaction, userId));
  await lockFactorsOfUser(transaction, userId);
  if (enroller === undefined) return;
  const isReplacing = !enroller.isSecondProven && (await listFactors(transaction, userId)).length > 0;
  if (user?.epoch !== enroller.account.epoch || isReplacing) throw new AppError('captcha_wrong');
}
