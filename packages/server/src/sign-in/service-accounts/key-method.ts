// Client credentials of service accounts: a signed assertion as the credential step of a login. There is no separate token
// endpoint. The assertion is resistant to phishing, because it names this service and one of its captchas. So it proves as much
// as a passkey, except the presence of a person, which is not required of a program.

import type { Store } from '../../cluster/store/store.ts';
import { findAccountOf } from '../../people/users/user-store.ts';
import type { LoginFields, LoginMethod, Proof, TextCaptcha } from '../login/method.ts';
import { readKid, verifyAssertion } from './assertion.ts';
import { findKey, spendAssertion } from './key-store.ts';

interface KeyMethodOptions {
  readonly store: Store;
  readonly captcha: TextCaptcha;
  readonly audience: string;
  readonly tokenLifetimeSeconds: number;
  readonly now: () => number;
}

export function createKeyMethod(options: KeyMethodOptions): LoginMethod {
  const { store, captcha, audience, tokenLifetimeSeconds, now } = options;

  async function verify({ assertion: sent, uuid, code }: LoginFields): Promise<Proof> {
    const text = String(sent);
    const kid = readKid(text);
    const key = kid === undefined ? undefined : await findKey(store, kid);
    const found = key && (await findAccountOf(store, key.userId));
    if (key === undefined || found === undefined) return { refused: 'credentials_wrong' };
    const { account } = found;
    const assertion = verifyAssertion(text, key.publicKey, {
      audience,
      captcha: { uuid: uuid as string | undefined, code: code as string | undefined },
      now: now() / 1000,
    });
    if (assertion?.account !== account.username) return { refused: 'credentials_wrong', account };
    if (!found.userEnabled) return { refused: 'user_disabled', account };
    if (!found.roleEnabled) return { refused: 'role_disabled', account };
    if (!(await spendAssertion(store, key.id, assertion))) return { refused: 'credentials_wrong', account };
    return { account, credentialId: key.id };
  }

  return {
    name: 'key',
    factor: 3,
    begins: true,
    wrong: 'key_wrong',
    captcha,
    tokenLifetimeSeconds,
    reads: ({ assertion }) => assertion !== undefined,
    verify,
  };
}
