// The login processing order of the specification, step by step. No step may move.
import {
  type Account,
  AppError,
  type Factor,
  type FactorDetails,
  type LoginBody,
  type LoginMethod as LoginMethodName,
  type LoginReason,
  type LoginStep,
  type PasskeyRequest,
} from '@portcullis/contract';
import { networkOf } from '../values/network.ts';
import type { Attempt, Attempts } from './attempts.ts';
import type { Captcha } from './captcha/captcha.ts';
import type { Device, DeviceCookie } from './device-cookie.ts';
import type { LoginMethod, Proof } from './method.ts';
import type { KnownNetworks } from './throttle/known-networks.ts';
import type { LoginNetwork, LoginSlots } from './throttle/login-slots.ts';
import type { Throttle } from './throttle/throttle.ts';

/** What the login log is told about an attempt beyond what was sent. */
export interface AttemptFacts {
  account?: Account | undefined;
  jti?: string;
  method?: LoginMethodName;
  credentialId?: number | undefined;
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
  readonly attempts: Attempts;
  readonly knownNetworks: Pick<KnownNetworks, 'has' | 'add'>;
  readonly slots: LoginSlots;
  readonly throttle: Pick<Throttle, 'attempt'>;
  readonly methods: readonly LoginMethod[];
  readonly findAccount: (userId: number) => Promise<BegunAccount | undefined>;
  /** What somebody has to do next who proved too little. */
  readonly describeNext: (account: Account, passed: readonly string[]) => Promise<FactorDetails>;
  readonly deviceCookie: DeviceCookie;
  /** Refuses with `factor_required` what proves less than is demanded. */
  readonly issueToken: (account: Account, origin: Origin, proof: ProvenBy) => Promise<IssuedToken>;
}

type Sent = LoginBody | LoginStep;

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

  function checkFields({ uuid, code }: Pick<Sent, 'uuid' | 'code'>): void {
    if (captchaRequired && (uuid === undefined || code === undefined)) throw new AppError('captcha_missing');
  }

  async function spendCaptcha({ uuid = '', code = '' }: Pick<Sent, 'uuid' | 'code'>): Promise<void> {
    if (captchaRequired && !(await captcha.isSolvedBy(uuid, code))) throw new AppError('captcha_wrong');
  }

  /** A login of one step spends its captcha; one of several began with it, and sends it again. */
  async function verifyCaptcha(body: Sent, { begins, follows }: LoginMethod): Promise<Attempt | undefined> {
    if (body.attempt === undefined) {
      await spendCaptcha(body);
      return undefined;
    }
    const step = begins ? (follows ? 'any' : 'first') : 'later';
    const attempt = await attempts.take(body.attempt, body, step);
    if (attempt === undefined) throw new AppError('captcha_wrong');
    return attempt;
  }

  /** Undefined in a first step. Whose password or role changed since the first one begins again. */
  async function findBegun(attempt: Attempt | undefined, facts: AttemptFacts): Promise<Account | undefined> {
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
    { name: method, factor }: LoginMethod,
    { origin, attempt, facts }: { origin: Origin; attempt: Attempt | undefined; facts: AttemptFacts },
  ) {
    const { account, credentialId, recoveryCodes } = proof;
    try {
      const issued = await options.issueToken(account, origin, { method, factor, credentialId });
      await attempt?.end();
      return { ...issued, recoveryCodes };
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'factor_required' || attempt === undefined)
        throw error;
      await attempt.note(account, method);
      const details = await options.describeNext(account, [...attempt.passed, method]);
      throw new AppError('factor_required', { details });
    } finally {
      facts.credentialId = credentialId;
    }
  }

  async function takeSteps(body: Sent, from: LoginNetwork, origin: Origin, facts: AttemptFacts) {
    const method = methods.find(({ reads }) => reads(body));
    if (method === undefined) throw new AppError('params_invalid');
    facts.method = method.name;

    // 2. Verify the captcha.
    const attempt = await verifyCaptcha(body, method);

    // 3. Check username and password, or what else was sent, and look up the matching user and role.
    const began = await findBegun(attempt, facts);
    const network = networkOf(origin.ip);
    const username = 'username' in body ? body.username : (began?.username ?? '');
    const device = deviceCookie.next(origin.device, username);
    const guess = { username, network, device: device.id, isKnownDevice: origin.device !== undefined };
    const { ip, requestId } = origin;
    const { isKnownNetwork } = from;
    const verify = async () => {
      const proof = await method.verify({ ...body }, { isKnownNetwork, attempt, began, ip, requestId });
      facts.account = proof.account;
      if ('refused' in proof) return proof;

      // 4. Issue a JWT.
      return await issue(proof, method, { origin, attempt, facts });
    };
    // What proves too little for a token counts neither as a wrong guess nor as a right one. A proof that says itself whose
    // it is cannot be guessed: counted for nobody in particular, strangers' wrong ones would keep everybody out.
    const issued = await (username === '' ? verify() : throttle.attempt(guess, verify));
    if ('refused' in issued) {
      facts.reason = issued.refused;
      throw new AppError(method.wrong);
    }
    facts.jti = issued.jti;
    knownNetworks.add(network);
    return { ...issued, device: deviceCookie.next(device, facts.account?.username ?? username) };
  }

  return {
    async logIn(body: Sent, origin: Origin, facts: AttemptFacts): Promise<LoggedIn> {
      // 1. Bind and validate the parameters. The schema did; what it leaves open depends on the mode.
      checkFields(body);
      const from = placeOf(origin);
      return await slots.run(from, () => takeSteps(body, from, origin, facts));
    },
    /** A captcha that is solved here is sent again with every step. */
    async begin(body: Pick<Sent, 'uuid' | 'code'>, origin: Origin): Promise<Begun> {
      checkFields(body);
      return await slots.run(placeOf(origin), async () => {
        await spendCaptcha(body);
        const { handle, expiresAt } = await attempts.begin(body);
        const prepared = methods.map((method) => method.prepare?.(handle));
        return { attempt: handle, expiresAt, ...Object.assign({}, ...prepared) } as Begun;
      });
    },
    /** Takes a try of an attempt whose first step was passed, for what is set up on the way in. */
    async findEnroller(body: Pick<Sent, 'attempt' | 'uuid' | 'code'>, origin: Origin, facts: AttemptFacts) {
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
