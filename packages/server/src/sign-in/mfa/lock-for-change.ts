// The lock for changes of a user's factors. During a login, an account that has factors can change them only if the same login
// proved a second factor. If the password or role has changed in the meantime, or the provider's proof does not hold any more,
// the login must begin again.
import { type Account, AppError } from '@portcullis/contract';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import { lockEpoch } from '../../people/users/epoch-store.ts';
import type { SessionProvider } from '../login/method.ts';
import { lockProviderProof } from '../sessions/provider-proof-store.ts';
import { listFactors, lockFactorsOfUser } from './credential-store.ts';

/** A user who enrols a factor before a token exists. */
export interface Enroller {
  readonly account: Account;
  /** Whether a second factor was proven in the same login. */
  readonly isSecondProven: boolean;
  /** The provider that verified the first step, if it was not this service. */
  readonly provider?: SessionProvider | undefined;
}

/** These methods prove one factor, whether this service or a provider verified it. */
const firstSteps: readonly string[] = ['password', 'oidc', 'oauth', 'ldap'];

export function isSecondProven(passed: readonly string[]): boolean {
  return passed.some((method) => !firstSteps.includes(method));
}

export async function lockForChange(
  transaction: StoreTransaction,
  userId: number,
  enroller?: Enroller,
): Promise<void> {
  // Lock order: the user before the factors, as in an administrator's change.
  const user = enroller && (await lockEpoch(transaction, userId));
  await lockFactorsOfUser(transaction, userId);
  if (enroller === undefined) return;
  const isReplacing = !enroller.isSecondProven && (await listFactors(transaction, userId)).length > 0;
  const { account, provider } = enroller;
  // Without the provider's proof, the login must not enrol a factor: the factor would outlast the provider's decision.
  const isProofInForce = provider === undefined || (await lockProviderProof(transaction, userId, provider));
  if (user?.epoch !== account.epoch || !isProofInForce || isReplacing) throw new AppError('captcha_wrong');
}
