// The plug-in interface of a credential verifier: it verifies a username and a password, by the stored hash or in another way.
import type { Account, LoginBody, LoginReason } from '@portcullis/contract';

export type LoginRefusal = Extract<
  LoginReason,
  | 'credentials_wrong'
  | 'user_disabled'
  | 'role_disabled'
  | 'provider_login_required'
  | 'groups_unreadable'
  | 'groups_overage'
>;

export type Verification =
  | { readonly account: Account }
  | {
      readonly refused: LoginRefusal;
      /** The account that the credentials were sent for, if it is known; for the login log. */
      readonly account?: Account | undefined;
      /**
       * How much longer the refusal takes, so that its time does not reveal what was compared. Nothing is held during the
       * wait.
       */
      readonly restMilliseconds?: number;
    };

/** An account and the fields that decide about its login, all from one read of its row. */
export interface StoredAccount {
  readonly account: Account;
  readonly passwordHash: string;
  readonly userEnabled: boolean;
  readonly roleEnabled: boolean;
  /** If left out, the password that is stored here is accepted. */
  readonly isDecidedByProvider?: boolean;
}

/** The account of the sent name, if there is one, and the time that the query took. */
export interface FoundAccount {
  readonly result: StoredAccount | undefined;
  readonly milliseconds: number;
}

export interface VerifiedFrom {
  /** Whether an account has logged in from the network before: under overload, such a login has priority. */
  readonly isKnownNetwork: boolean;
  /** Left out if the account was not queried yet. */
  readonly found?: FoundAccount | undefined;
}

export interface CredentialVerifier {
  verify(credentials: LoginBody, from: VerifiedFrom): Promise<Verification>;
}
