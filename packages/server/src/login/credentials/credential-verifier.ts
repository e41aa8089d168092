// The seam for another way to verify a username and a password than the stored hash.
import type { Account, LoginBody } from '@portcullis/contract';

export type Verification =
  | { readonly account: Account }
  | {
      readonly refused: 'credentials_wrong' | 'user_disabled' | 'role_disabled';
      /** Whose credentials they would have been, where that is known; for the login log. */
      readonly account?: Account | undefined;
    };

export interface CredentialVerifier {
  /** From a network where somebody has logged in before, a login may go first when there are too many. */
  verify(credentials: LoginBody, from: { readonly isKnownNetwork: boolean }): Promise<Verification>;
}
