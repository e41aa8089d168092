// Username and password against the stored hash. Unknown, wrong and disabled take the same path, so that the
// answer's time tells nothing.
import { verify } from '@node-rs/argon2';
import type { Account } from '@portcullis/contract';
import type { CredentialVerifier } from './credential-verifier.ts';
import { hashPassword } from './hash-password.ts';

/** An account with what decides about it, all from one row read. */
export interface StoredAccount {
  readonly account: Account;
  readonly passwordHash: string;
  readonly userEnabled: boolean;
  readonly roleEnabled: boolean;
}

interface PasswordVerifierOptions {
  readonly findAccount: (username: string) => Promise<StoredAccount | undefined>;
  readonly randomBytes: (size: number) => Buffer;
}

export function createPasswordVerifier(options: PasswordVerifierOptions): CredentialVerifier {
  const nobodysHash = hashPassword(options.randomBytes(16).toString('hex'));
  return {
    async verify({ username, password }) {
      const stored = await options.findAccount(username);
      const matches = await verify(stored?.passwordHash ?? (await nobodysHash), password.normalize('NFC'));
      if (stored === undefined || !matches) return { refused: 'credentials_wrong' };
      if (!stored.userEnabled) return { refused: 'user_disabled' };
      if (!stored.roleEnabled) return { refused: 'role_disabled' };
      return { account: stored.account };
    },
  };
}
