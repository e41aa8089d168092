// The plug-in interface of login methods (Spec, Authentication 7). A method replaces the credential step of a login and nothing
// else: it verifies the proof and names its account. The required factor is checked when the session is stored.
import type { Account, Factor, LoginMethod as LoginMethodName, PasskeyRequest } from '@portcullis/contract';
import type { CredentialVerifier, FoundAccount, Verification } from './credentials/credential-verifier.ts';
import type { LoginFlow } from './login-flows.ts';

/** The fields of `POST /login`, validated by its schema. */
export type LoginFields = Readonly<Record<string, unknown>>;

export interface LoginContext {
  readonly isKnownNetwork: boolean;
  readonly flow?: LoginFlow | undefined;
  /** The account that passed the first step of the flow, in its current state. */
  readonly began?: Account | undefined;
  /** The account of the sent name, if the method needs it. */
  readonly found?: FoundAccount | undefined;
  readonly ip: string;
  readonly requestId: string;
}

export type Proof =
  | Extract<Verification, { readonly refused: unknown }>
  | {
      readonly account: Account;
      readonly credentialId?: number | undefined;
      /** The provider that verified the proof, if it was not this service. */
      readonly provider?: SessionProvider | undefined;
      /** The new recovery codes, if a factor was enrolled during the login. */
      readonly recoveryCodes?: readonly string[] | undefined;
    };

/** The provider's proof that a session is stored with. */
export interface SessionProvider {
  readonly providerId: number;
  readonly epoch: number;
  readonly session?: string | undefined;
  readonly linkId: number;
  readonly beganAt: Date;
}

/** A captcha without a picture. The login keeps its order of steps, and the proof is bound to this captcha. */
export interface TextCaptcha {
  issue(): Promise<{ id: string; text: string }>;
  /** Consumes the captcha, right or wrong. */
  isSolvedBy(id: string, text: string): Promise<boolean>;
}

export interface LoginMethod {
  readonly name: LoginMethodName;
  /** The factor that a proof by this method gives a session. */
  readonly factor: Factor;
  /** Whether a login can begin with this method. Other methods only follow a first step. */
  readonly begins: boolean;
  /** Whether a method that begins a login can also follow a password. */
  readonly follows?: true;
  /** Whether the method needs the account of the sent name. The statement that admits the attempt then reads it. */
  readonly readsAccount?: boolean;
  /** Whether the sent name belongs to a directory. The local account with this name can belong to another person. */
  readonly isForeignName?: boolean;
  /** The error kind for a wrong proof. */
  readonly wrong: 'credentials_wrong' | 'code_wrong' | 'passkey_wrong' | 'key_wrong' | 'provider_refused';
  /** The captcha for programs, instead of the picture. No other method accepts it. */
  readonly captcha?: TextCaptcha;
  /** The lifetime of its tokens, if they live shorter than other tokens. */
  readonly tokenLifetimeSeconds?: number;
  /** The data that a page needs for this method. The page gets it with the handle of the flow. */
  prepare?(handle: string): { readonly passkey: PasskeyRequest };
  /**
   * The key of the provider that the fields name. Its own concurrency limit applies: a provider that hangs blocks no other
   * login.
   */
  providerKeyOf?(fields: LoginFields): string;
  /** Whether the fields belong to this method. */
  reads(fields: LoginFields): boolean;
  verify(fields: LoginFields, context: LoginContext): Promise<Proof>;
}

/** `readsAccount`: whether the verifier accepts an account that was read before. */
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
