// The login processing order of the specification, step by step. No step may move.
import {
  type Account,
  AppError,
  type Factor,
  type FactorDetails,
  type LoginBody,
  type LoginByKey,
  type LoginMethod as LoginMethodName,
  type LoginReason,
  type LoginStep,
  type PasskeyRequest,
  type ProviderKindName,
} from '@portcullis/contract';
import { networkOf } from '../../base/values/network.ts';
import { attemptKeyOf } from './attempt-key.ts';
import type { Captcha } from './captcha/captcha.ts';
import type { StoredAccount } from './credentials/credential-verifier.ts';
import type { RefusalClock, RefusalDeadline } from './credentials/refusal-deadline.ts';
import type { Device, DeviceCookie } from './device-cookie.ts';
import { firstStepProvider } from './first-step-provider.ts';
import type { LoginFlow, LoginFlows } from './login-flows.ts';
import type { LoginMethod, Proof, SessionProvider } from './method.ts';
import type { KnownNetworks } from './throttle/known-networks.ts';
import type { LoginConcurrencyLimit, LoginNetwork } from './throttle/login-concurrency-limit.ts';
import type { Admission, Throttle } from './throttle/throttle.ts';
import type { Prefetched } from './throttle/throttle-store.ts';

/** What the login log is told about an attempt beyond what was sent. */
export interface LoginEntryFacts {
  account?: Account | undefined;
  jti?: string;
  method?: LoginMethodName;
  credentialId?: number | undefined;
  /** The key of the provider that vouched for it, or was to. */
  provider?: string | undefined;
  /** Why it was refused, where that says more than the answer. */
  reason?: LoginReason;
}

/** Where an attempt came from. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string | undefined;
  readonly requestId: string;
  /** The device, where somebody has logged in on it before. */
  readonly device?: Device | undefined;
}

export interface IssuedToken {
  readonly token: string;
  readonly jti: string;
  readonly expiresAt: Date;
}

/** What a session is known to have been proven with. */
export interface ProvenBy {
  readonly method: LoginMethodName;
  readonly factor: Factor;
  readonly credentialId?: number | undefined;
  readonly provider?: SessionProvider | undefined;
  /** Where the token lives shorter than others. */
  readonly lifetimeSeconds?: number | undefined;
}

export interface LoggedIn extends IssuedToken {
  /** As it is known from now on. */
  readonly device: Device;
  readonly recoveryCodes?: readonly string[] | undefined;
}

/** What a page is told that begins a login. */
interface Begun {
  readonly attempt: string;
  readonly expiresAt: Date;
  readonly passkey?: PasskeyRequest;
  /** Where the browser goes, of a login by way of a provider. */
  readonly url?: string;
}

/** How a login gets to a provider. */
export interface LoginRedirect {
  /** Runs it in places of the provider's own, with its kind. Throws where there is no such provider. */
  run<T>(key: string, work: (kind: ProviderKindName) => Promise<T>): Promise<T>;
  findId(key: string): Promise<number>;
  authorizationUrl(key: string, handle: string): Promise<{ readonly url: string }>;
}

/** Where a directory verifies a name and its password in the place of this service. */
export interface DirectoryLogin {
  /** Apart from the slots of people with a password here. */
  readonly slots: LoginConcurrencyLimit;
  find(body: LoginBody): Promise<FoundDirectory>;
}

export interface FoundDirectory {
  /** Whether any directory verifies passwords, be it this one or not. */
  readonly isAnyEnabled: boolean;
  /** The key of its provider, and how it verifies; left out where the password is verified here. */
  readonly leadsTo?: { readonly key: string; readonly method: LoginMethod };
}

/** Who passed the first step of an attempt. */
export interface BegunAccount {
  readonly account: Account;
  readonly userEnabled: boolean;
  readonly roleEnabled: boolean;
}

export interface LoginOptions {
  readonly captchaRequired: boolean;
  readonly captcha: Captcha;
  readonly attempts: LoginFlows;
  readonly knownNetworks: Pick<KnownNetworks, 'has' | 'add'>;
  readonly slots: LoginConcurrencyLimit;
  readonly throttle: Pick<Throttle, 'attempt'>;
  readonly methods: readonly LoginMethod[];
  readonly redirectFlow: LoginRedirect;
  readonly directory: DirectoryLogin;
  readonly refusals: RefusalDeadline;
  /** How the account of a name is read; undefined where nobody can have it. */
  readonly selectAccount: (username: string) => Prefetched<StoredAccount> | undefined;
  readonly findAccount: (userId: number) => Promise<BegunAccount | undefined>;
  /** What somebody has to do next who proved too little. */
  readonly describeNext: (account: Account, passed: readonly string[]) => Promise<FactorDetails>;
  readonly deviceCookie: DeviceCookie;
  /** Refuses with `factor_required` what proves less than is demanded. */
  readonly issueToken: (
    account: Account,
    origin: Origin,
    proof: ProvenBy,
    admitted?: Admission,
  ) => Promise<IssuedToken>;
}

/** Of all three; each method has fields of its own beside them. */
type Sent = LoginBody | LoginStep | LoginByKey;
type CaptchaFields = Pick<LoginBody, 'uuid' | 'code'>;

/** What was sent, and from where. */
interface Given {
  readonly body: Sent;
  readonly from: LoginNetwork;
  readonly origin: Origin;
  readonly facts: LoginEntryFacts;
  readonly clock: RefusalClock;
}

interface IssueOptions {
  readonly origin: Origin;
  readonly attempt: LoginFlow | undefined;
  readonly facts: LoginEntryFacts;
  readonly admitted: Admission | undefined;
}

export function createLogIn(options: LoginOptions) {
  const { captchaRequired, captcha, attempts, knownNetworks, slots, throttle, methods, deviceCookie } =
    options;

  /** Where a login comes from that a colleague’s attempts must not keep out: the device, where it is known. */
  function placeOf({ ip, device }: Origin): LoginNetwork {
    if (device !== undefined)
      return { network: `device of ${device.owner}`, isKnownNetwork: true, isOnePerson: true };
    const network = networkOf(ip);
    return { network, isKnownNetwork: knownNetworks.has(network) };
  }

  function checkFields({ uuid, code }: CaptchaFields): void {
    if (captchaRequired && (uuid === undefined || code === undefined)) throw new AppError('captcha_missing');
  }

  async function spendCaptcha(
    { uuid = '', code = '' }: CaptchaFields,
    { isSolvedBy }: Pick<Captcha, 'isSolvedBy'> = captcha,
  ): Promise<void> {
    if (captchaRequired && !(await isSolvedBy(uuid, code))) throw new AppError('captcha_wrong');
  }

  /** A login of one step spends its captcha; one of several began with it, and sends it again. */
  async function verifyCaptcha(body: Sent, method: LoginMethod): Promise<LoginFlow | undefined> {
    const { begins, follows } = method;
    if (!('attempt' in body) || body.attempt === undefined) {
      await spendCaptcha(body, method.captcha);
      return undefined;
    }
    const step = begins ? (follows ? 'any' : 'first') : 'later';
    const attempt = await attempts.take(body.attempt, body, step);
    if (attempt === undefined) throw new AppError('captcha_wrong');
    return attempt;
  }

  /** Undefined in a first step. Whose password or role changed since the first one begins again. */
  async function findBegun(
    attempt: LoginFlow | undefined,
    facts: LoginEntryFacts,
  ): Promise<Account | undefined> {
    if (attempt === undefined || attempt.userId === null) return undefined;
    const found = await options.findAccount(attempt.userId);
    if (found === undefined || found.account.epoch !== attempt.epoch) throw new AppError('captcha_wrong');
    facts.account = found.account;
    if (!found.userEnabled || !found.roleEnabled) {
      facts.reason = found.userEnabled ? 'role_disabled' : 'user_disabled';
      throw new AppError('credentials_wrong');
    }
    return found.account;
  }

  async function issue(
    proof: Exclude<Proof, { readonly refused: unknown }>,
    { name: method, factor, wrong, tokenLifetimeSeconds: lifetimeSeconds }: LoginMethod,
    { origin, attempt, facts, admitted }: IssueOptions,
  ) {
    const { account, credentialId, recoveryCodes } = proof;
    const provider = proof.provider ?? firstStepProvider(attempt);
    // A password that somebody else gave was not used.
    const { passwordDue: _due, ...identity } = account;
    const issuedTo = provider === undefined ? account : identity;
    try {
      const proven = { method, factor, credentialId, provider, lifetimeSeconds };
      const issued = await options.issueToken(issuedTo, origin, proven, admitted);
      await attempt?.end();
      return { ...issued, recoveryCodes };
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'factor_required') throw error;
      if (attempt === undefined) {
        // Nothing proves more: what it was proven with ended meanwhile.
        throw factor === 3 ? new AppError(wrong) : error;
      }
      await attempt.note(account, method, proof.provider);
      const details = await options.describeNext(account, [...attempt.passed, method]);
      throw new AppError('factor_required', { details });
    } finally {
      facts.credentialId = credentialId;
    }
  }

  async function prove(
    method: LoginMethod,
    attempt: LoginFlow | undefined,
    { body, from, origin, facts, clock }: Given,
  ) {
    facts.method = method.name;

    // 3. Check username and password, or what else was sent, and look up the matching user and role.
    const began = await findBegun(attempt, facts);
    const username = 'username' in body ? body.username : (began?.username ?? '');
    const device = deviceCookie.next(origin.device, username);
    const { isForeignName } = method;
    const guess = { ...attemptKeyOf(username, device, origin), ...(isForeignName && { isForeignName }) };
    const { ip, requestId } = origin;
    const { isKnownNetwork } = from;
    const verify = async (admitted?: Admission<StoredAccount>) => {
      clock.goOn(admitted?.prefetched.milliseconds ?? 0);
      const found = method.readsAccount ? admitted?.prefetched : undefined;
      const proof = await method.verify(
        { ...body },
        { isKnownNetwork, attempt, began, found, ip, requestId },
      );
      facts.account = proof.account;
      if ('refused' in proof) {
        clock.settleBy(admitted?.keepAsWrong());
        return proof;
      }

      // 4. Issue a JWT.
      const settles = isForeignName ? undefined : admitted;
      return await issue(proof, method, { origin, attempt, facts, admitted: settles });
    };
    const prefetched = method.readsAccount ? options.selectAccount(username) : undefined;
    clock.stop();
    // What proves too little for a token counts neither as a wrong guess nor as a right one. A proof that says itself whose
    // it is cannot be guessed: counted for nobody in particular, strangers' wrong ones would keep everybody out.
    const issued = await (username === '' ? verify() : throttle.attempt(guess, verify, prefetched));
    if ('refused' in issued) {
      facts.reason = issued.refused;
      clock.addRest(issued.restMilliseconds ?? 0);
      throw new AppError(method.wrong);
    }
    facts.jti = issued.jti;
    knownNetworks.add(guess.network);
    return { ...issued, device: deviceCookie.next(device, facts.account?.username ?? username) };
  }

  async function proveHereOrThere(method: LoginMethod, given: Given) {
    const { body, from, facts, clock } = given;
    const taken = await slots.run(from, async () => {
      const attempt = await verifyCaptcha(body, method);
      const asksDirectory = method.readsAccount && 'username' in body;
      const found = asksDirectory ? await options.directory.find(body) : undefined;
      const leadsTo = found?.leadsTo;
      if (found?.isAnyEnabled) clock.hasDeadline(leadsTo ? { directory: leadsTo.key } : { hash: true });
      return leadsTo === undefined ? await prove(method, attempt, given) : { ...leadsTo, attempt };
    });
    if ('token' in taken) return taken;
    // People with a password here get in while a directory hangs. The method takes a place of the directory when it asks, so that
    // attempts that wait for a guess of the same name take none.
    facts.provider = taken.key;
    return await options.directory.slots.run(from, () => prove(taken.method, taken.attempt, given));
  }

  async function beginAt(key: string, body: Pick<Sent, 'uuid' | 'code'>): Promise<Begun> {
    return await options.redirectFlow.run(key, async () => {
      const providerId = await options.redirectFlow.findId(key);
      await spendCaptcha(body);
      const { handle, expiresAt } = await attempts.begin(body, providerId);
      return { attempt: handle, expiresAt, ...(await options.redirectFlow.authorizationUrl(key, handle)) };
    });
  }

  return {
    async logIn(body: Sent, origin: Origin, facts: LoginEntryFacts): Promise<LoggedIn> {
      // 1. Bind and validate the parameters. The schema did; what it leaves open depends on the mode.
      checkFields(body);
      const method = methods.find(({ reads }) => reads(body));
      if (method === undefined) throw new AppError('params_invalid');
      facts.method = method.name;
      const from = placeOf(origin);
      const clock = options.refusals.begin();
      const given = { body, from, origin, facts, clock };

      // 2. Verify the captcha.
      const key = method.leadsTo?.({ ...body });
      try {
        if (key === undefined) return await proveHereOrThere(method, given);
        facts.provider = key;
        return await options.redirectFlow.run(key, async (name) => {
          facts.method = name;
          return await prove({ ...method, name }, await verifyCaptcha(body, method), given);
        });
      } catch (error) {
        await clock.waitFor(error).catch((unsettled: unknown) => {
          // Another answer is given then: that the guess could not be counted.
          delete facts.reason;
          throw unsettled;
        });
        throw error;
      }
    },
    /** A captcha that is solved here is sent again with every step. */
    async begin(
      { provider, ...body }: CaptchaFields & { readonly provider?: string | undefined },
      origin: Origin,
    ): Promise<Begun> {
      checkFields(body);
      if (provider !== undefined) return await beginAt(provider, body);
      return await slots.run(placeOf(origin), async () => {
        await spendCaptcha(body);
        const { handle, expiresAt } = await attempts.begin(body);
        const prepared = methods.map((method) => method.prepare?.(handle));
        return { attempt: handle, expiresAt, ...Object.assign({}, ...prepared) } as Begun;
      });
    },
    /** Takes a try of an attempt whose first step was passed, for what is set up on the way in. */
    async findEnroller(
      body: Pick<LoginBody, 'attempt' | 'uuid' | 'code'>,
      origin: Origin,
      facts: LoginEntryFacts,
    ) {
      checkFields(body);
      return await slots.run(placeOf(origin), async () => {
        const attempt = await attempts.take(body.attempt ?? '', body, 'later');
        const account = await findBegun(attempt, facts);
        if (attempt === undefined || account === undefined) throw new AppError('captcha_wrong');
        return { attempt, account };
      });
    },
  };
}
