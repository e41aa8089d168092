// The seam for another way to verify a username and a password than the stored hash.
import type { Account, LoginBody } from '@portcullis/contract';

export type Verification =
  | { readonly account: Account }
  | {
      readonly refused: 'credentials_wrong' | 'user_disabled' | 'role_disabled';
      /** Whose credentials they would have been, where that is known; for the login log. */
      readonly account?: Account | undefined;
    };

/** An account with what decides about it, all from one row read. */
export interface StoredAccount {
  readonly account: Account;
  readonly passwordHash: string;
  readonly userEnabled: boolean;
  readonly roleEnabled: boolean;
}

/** The account of the name that was sent, where there is one, and how long it took to look. */
export interface FoundAccount {
  readonly result: StoredAccount | undefined;
  readonly milliseconds: number;
}

export interface VerifiedFrom {
  /** From a network where somebody has logged in before, a login may go first when there are too many. */
  readonly isKnownNetwork: boolean;
  /** Left out where the account was not looked for yet. */
  readonly found?: FoundAccount | undefined;
}

export interface CredentialVerifier {
  verify(credentials: LoginBody, from: VerifiedFrom): Promise<Verification>;
}
