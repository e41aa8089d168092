// The seam for other ways to log in (Spec, Authentication 7): a method replaces the credential step of a login and nothing
// else. It says whose proof was sent; what is demanded is asked when the session is stored.
import type { Account, Factor, LoginMethod as LoginMethodName, PasskeyRequest } from '@portcullis/contract';
import type { Attempt } from './attempts.ts';
import type { CredentialVerifier, Verification } from './credentials/credential-verifier.ts';

/** What `POST /login` carries, as its schema lets it pass. */
export type LoginFields = Readonly<Record<string, unknown>>;

export interface LoginContext {
  readonly isKnownNetwork: boolean;
  readonly attempt?: Attempt | undefined;
  /** Who passed the first step of the attempt, as the account is now. */
  readonly began?: Account | undefined;
  readonly ip: string;
  readonly requestId: string;
}

export type Proof =
  | Extract<Verification, { readonly refused: unknown }>
  | {
      readonly account: Account;
      readonly credentialId?: number | undefined;
      /** Of a factor that was set up on the way in. */
      readonly recoveryCodes?: readonly string[] | undefined;
    };

export interface LoginMethod {
  readonly name: LoginMethodName;
  /** What it proves. */
  readonly factor: Factor;
  /** Whether a login can begin with it; one that cannot follows on one that did. */
  readonly begins: boolean;
  /** Whether one that begins a login can also follow on a password. */
  readonly follows?: true;
  /** What is answered where the proof is wrong. */
  readonly wrong: 'credentials_wrong' | 'code_wrong' | 'passkey_wrong';
  /** What a page needs for it, told with the handle of the attempt. */
  prepare?(handle: string): { readonly passkey: PasskeyRequest };
  /** Whether the fields are of this method. */
  reads(fields: LoginFields): boolean;
  verify(fields: LoginFields, context: LoginContext): Promise<Proof>;
}

export function createPasswordMethod(credentials: CredentialVerifier): LoginMethod {
  return {
    name: 'password',
    factor: 1,
    begins: true,
    wrong: 'credentials_wrong',
    reads: ({ password }) => password !== undefined,
    verify: ({ username, password, uuid, code }, from) =>
      credentials.verify(
        { username, password, uuid, code } as Parameters<typeof credentials.verify>[0],
        from,
      ),
  };
}
