// The lock under which somebody's factors are changed. On the way in nothing is replaced that the same login did not prove,
// and whose password or role changed meanwhile, or for whom a provider stands no more, begins again.
import { type Account, AppError } from '@portcullis/contract';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import { lockEpoch } from '../../people/users/epoch-store.ts';
import type { SessionProvider } from '../login/method.ts';
import { holdProviderProof } from '../sessions/provider-proof-store.ts';
import { listFactors, lockFactorsOfUser } from './credential-store.ts';

/** Who sets something up before there is a token. */
export interface Enroller {
  readonly account: Account;
  /** Whether a second factor was proven in the same login. */
  readonly isSecondProven: boolean;
  /** By way of whom the first step was proven, where that was not this service. */
  readonly identity?: SessionProvider | undefined;
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
  const { account, identity } = enroller;
  // Whom a provider stands for no more gets no way in that lasts without it.
  const isVouched = identity === undefined || (await holdProviderProof(transaction, userId, identity));
  if (user?.epoch !== account.epoch || !isVouched || isReplacing) throw new AppError('captcha_wrong');
}
