// The seam for other ways to log in (Spec, Authentication 7): a method replaces the credential step of a login and nothing
// else. It says whose proof was sent; what is demanded is asked when the session is stored.
import type { Account, Factor, LoginMethod as LoginMethodName, PasskeyRequest } from '@portcullis/contract';
import type { CredentialVerifier, FoundAccount, Verification } from './credentials/credential-verifier.ts';
import type { LoginFlow } from './login-flows.ts';

/** What `POST /login` carries, as its schema lets it pass. */
export type LoginFields = Readonly<Record<string, unknown>>;

export interface LoginContext {
  readonly isKnownNetwork: boolean;
  readonly attempt?: LoginFlow | undefined;
  /** Who passed the first step of the attempt, as the account is now. */
  readonly began?: Account | undefined;
  /** Of the name that was sent, where the method needs it. */
  readonly found?: FoundAccount | undefined;
  readonly ip: string;
  readonly requestId: string;
}

export type Proof =
  | Extract<Verification, { readonly refused: unknown }>
  | {
      readonly account: Account;
      readonly credentialId?: number | undefined;
      /** By way of whom, where that was not this service. */
      readonly provider?: SessionProvider | undefined;
      /** Of a factor that was set up on the way in. */
      readonly recoveryCodes?: readonly string[] | undefined;
    };

/** What a session is stored with that somebody else vouched for. */
export interface SessionProvider {
  readonly providerId: number;
  readonly epoch: number;
  readonly session?: string | undefined;
  readonly linkId: number;
  readonly beganAt: Date;
}

/** A captcha without a picture. It keeps the order of a login, and a proof bound to it. */
export interface TextCaptcha {
  issue(): Promise<{ id: string; text: string }>;
  /** Spends the captcha, right or wrong. */
  isSolvedBy(id: string, text: string): Promise<boolean>;
}

export interface LoginMethod {
  readonly name: LoginMethodName;
  /** What it proves. */
  readonly factor: Factor;
  /** Whether a login can begin with it; one that cannot follows on one that did. */
  readonly begins: boolean;
  /** Whether one that begins a login can also follow on a password. */
  readonly follows?: true;
  /** Whether it needs the account of the name that was sent: it is then read in the statement that admits the guess. */
  readonly readsAccount?: boolean;
  /** Whether the name that is sent is one of a directory: the account that has it here may be another person's. */
  readonly isForeignName?: boolean;
  /** What is answered where the proof is wrong. */
  readonly wrong: 'credentials_wrong' | 'code_wrong' | 'passkey_wrong' | 'key_wrong' | 'provider_refused';
  /** In the place of the picture, for who reads none; no other method takes it. */
  readonly captcha?: TextCaptcha;
  /** How long its tokens live, where that is shorter than those of others. */
  readonly tokenLifetimeSeconds?: number;
  /** What a page needs for it, told with the handle of the attempt. */
  prepare?(handle: string): { readonly passkey: PasskeyRequest };
  /** The key of the provider that the fields lead to. The login runs in places of that one: who hangs keeps nobody else out. */
  leadsTo?(fields: LoginFields): string;
  /** Whether the fields are of this method. */
  reads(fields: LoginFields): boolean;
  verify(fields: LoginFields, context: LoginContext): Promise<Proof>;
}

/** `readsAccount`: whether the verifier takes an account that was found before. */
export function createPasswordMethod(
  credentials: CredentialVerifier,
  { readsAccount = false } = {},
): LoginMethod {
  return {
    name: 'password',
    factor: 1,
    begins: true,
    readsAccount,
    wrong: 'credentials_wrong',
    reads: ({ password }) => password !== undefined,
    verify: ({ username, password, uuid, code }, from) =>
      credentials.verify(
        { username, password, uuid, code } as Parameters<typeof credentials.verify>[0],
        from,
      ),
  };
}
