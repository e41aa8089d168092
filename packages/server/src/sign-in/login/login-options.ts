// The dependencies of a login: captcha, brute-force protection, login methods, providers, directories and the token issuer.
// `compose/` supplies them, so that the login imports no other module's implementation.
import type {
  Account,
  Factor,
  FactorDetails,
  LoginBody,
  LoginMethod as LoginMethodName,
  ProviderKindName,
} from '@portcullis/contract';
import type { Captcha } from './captcha/captcha.ts';
import type { StoredAccount } from './credentials/credential-verifier.ts';
import type { RefusalDeadline } from './credentials/refusal-deadline.ts';
import type { Device, DeviceCookie } from './device-cookie.ts';
import type { LoginFlows } from './login-flows.ts';
import type { LoginMethod, SessionProvider } from './method.ts';
import type { KnownNetworks } from './throttle/known-networks.ts';
import type { LoginConcurrencyLimit } from './throttle/login-concurrency-limit.ts';
import type { Admission, Throttle } from './throttle/throttle.ts';
import type { Prefetched } from './throttle/throttle-store.ts';

/** The client of a login attempt. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string | undefined;
  readonly requestId: string;
  /** The device, if an account has logged in on it before. */
  readonly device?: Device | undefined;
}

export interface IssuedToken {
  readonly token: string;
  readonly jti: string;
  readonly expiresAt: Date;
}

/** The proof that a session is issued for. */
export interface ProvenBy {
  readonly method: LoginMethodName;
  readonly factor: Factor;
  readonly credentialId?: number | undefined;
  readonly provider?: SessionProvider | undefined;
  /** Set if the token lives shorter than other tokens. */
  readonly lifetimeSeconds?: number | undefined;
}

/** A login through a provider that the browser is redirected to. */
export interface LoginRedirect {
  /** Runs the work under the provider's own concurrency limit, and passes its kind. Throws if the provider does not exist. */
  run<T>(key: string, work: (kind: ProviderKindName) => Promise<T>): Promise<T>;
  findId(key: string): Promise<number>;
  authorizationUrl(key: string, handle: string): Promise<{ readonly url: string }>;
}

/** A login whose name and password a directory (LDAP) verifies, instead of this service. */
export interface DirectoryLogin {
  /** Separate from the slots of users with a local password. */
  readonly slots: LoginConcurrencyLimit;
  find(body: LoginBody): Promise<FoundDirectory>;
}

export interface FoundDirectory {
  /** Whether any directory verifies passwords, even if none verifies this one. */
  readonly isAnyEnabled: boolean;
  /** The key of the directory's provider and its login method; left out if this service verifies the password. */
  readonly directory?: { readonly key: string; readonly method: LoginMethod };
}

/** The account that passed the first step of a login flow. */
export interface BegunAccount {
  readonly account: Account;
  readonly userEnabled: boolean;
  readonly roleEnabled: boolean;
}

export interface LoginOptions {
  readonly captchaRequired: boolean;
  readonly captcha: Captcha;
  readonly flows: LoginFlows;
  readonly knownNetworks: Pick<KnownNetworks, 'has' | 'add'>;
  readonly slots: LoginConcurrencyLimit;
  readonly throttle: Pick<Throttle, 'attempt'>;
  readonly methods: readonly LoginMethod[];
  readonly redirectFlow: LoginRedirect;
  readonly directory: DirectoryLogin;
  readonly refusals: RefusalDeadline;
  /** The query for the account of a name; undefined if no account can have this name. */
  readonly selectAccount: (username: string) => Prefetched<StoredAccount> | undefined;
  readonly findAccount: (userId: number) => Promise<BegunAccount | undefined>;
  /** The next steps of a login whose proof is below the required factor. */
  readonly describeNext: (account: Account, passed: readonly string[]) => Promise<FactorDetails>;
  readonly deviceCookie: DeviceCookie;
  /** Refuses with `factor_required` if the proof is below the required factor. */
  readonly issueToken: (
    account: Account,
    origin: Origin,
    proof: ProvenBy,
    admitted?: Admission,
  ) => Promise<IssuedToken>;
}
