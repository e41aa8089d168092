// The seam for another way to verify a username and a password than the stored hash.
import type { Account, LoginBody, LoginReason } from '@portcullis/contract';

export type LoginRefusal = Extract<
  LoginReason,
  | 'credentials_wrong'
  | 'user_disabled'
  | 'role_disabled'
  | 'provider_decides'
  | 'groups_unreadable'
  | 'groups_overage'
>;

export type Verification =
  | { readonly account: Account }
  | {
      readonly refused: LoginRefusal;
      /** Whose credentials they would have been, where that is known; for the login log. */
      readonly account?: Account | undefined;
      /** How much longer the refusal takes, so that its time does not tell what was compared. Nothing is held meanwhile. */
      readonly restMilliseconds?: number;
    };

/** An account with what decides about it, all from one row read. */
export interface StoredAccount {
  readonly account: Account;
  readonly passwordHash: string;
  readonly userEnabled: boolean;
  readonly roleEnabled: boolean;
  /** Left out, the password that is stored here is accepted. */
  readonly isDecidedByProvider?: boolean;
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
