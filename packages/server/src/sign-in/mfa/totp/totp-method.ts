// TOTP login method: a code of an authenticator app as the second step of a login. The first code confirms an app that is being
// enrolled.

import type { SealedSecrets } from '../../../base/secrets/sealed-secrets.ts';
import type { Store } from '../../../cluster/store/store.ts';
import { firstStepProvider } from '../../login/first-step-provider.ts';
import type { LoginContext, LoginMethod, Proof } from '../../login/method.ts';
import { findTotp, spendStep } from '../credential-store.ts';
import type { FactorChanges } from '../factor-changes.ts';
import { findStep } from './totp.ts';

interface TotpMethodOptions {
  readonly store: Store;
  readonly secrets: SealedSecrets;
  readonly changes: Pick<FactorChanges, 'confirmAtLogin'>;
  readonly now: () => number;
}

export function createTotpMethod({ store, secrets, changes, now }: TotpMethodOptions): LoginMethod {
  async function verify(otp: string, { began: account, flow, ip, requestId }: LoginContext): Promise<Proof> {
    if (account === undefined) return { refused: 'credentials_wrong' };
    const { userId } = account;
    const enrolling = flow?.credentialId ?? undefined;
    if (enrolling !== undefined) {
      const call = { account, ip, requestId, provider: firstStepProvider(flow) };
      const confirmed = await changes.confirmAtLogin(call, enrolling, otp);
      return confirmed === undefined ? { refused: 'credentials_wrong', account } : { account, ...confirmed };
    }
    const totp = await findTotp(store, userId);
    if (totp === undefined) return { refused: 'credentials_wrong', account };
    const secret = secrets.open(userId, totp.sealedSecret);
    const step = secret && findStep(secret, otp, { now: now(), after: totp.counter });
    if (step === undefined || !(await spendStep(store, totp.id, step)))
      return { refused: 'credentials_wrong', account };
    return { account, credentialId: totp.id };
  }

  return {
    name: 'totp',
    factor: 2,
    begins: false,
    wrong: 'code_wrong',
    reads: ({ otp }) => otp !== undefined,
    verify: ({ otp }, context) => verify(String(otp), context),
  };
}
