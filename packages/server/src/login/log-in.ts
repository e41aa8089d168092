// The login processing order of the specification, step by step. No step may move.
import { type Account, AppError, type LoginBody, type LoginReason } from '@portcullis/contract';
import { networkOf } from '../values/network.ts';
import type { Captcha } from './captcha/captcha.ts';
import type { CredentialVerifier } from './credentials/credential-verifier.ts';
import type { Device, DeviceCookie } from './device-cookie.ts';
import type { KnownNetworks } from './throttle/known-networks.ts';
import type { LoginNetwork, LoginSlots } from './throttle/login-slots.ts';
import type { Throttle } from './throttle/throttle.ts';

/** What the login log is told about an attempt beyond what was sent. */
export interface AttemptFacts {
  account?: Account | undefined;
  jti?: string;
  /** Why it was refused, where that says more than the answer. */
  reason?: LoginReason;
}

/** Where an attempt came from. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string | undefined;
  /** The device, where somebody has logged in on it before. */
  readonly device?: Device | undefined;
}

export interface IssuedToken {
  readonly token: string;
  readonly jti: string;
  readonly expiresAt: Date;
}

export interface LoggedIn extends IssuedToken {
  /** As it is known from now on. */
  readonly device: Device;
}

export interface LoginOptions {
  readonly captchaRequired: boolean;
  readonly captcha: Captcha;
  readonly knownNetworks: Pick<KnownNetworks, 'has' | 'add'>;
  readonly slots: LoginSlots;
  readonly throttle: Pick<Throttle, 'attempt'>;
  readonly credentials: CredentialVerifier;
  readonly deviceCookie: DeviceCookie;
  readonly issueToken: (account: Account, origin: Origin) => Promise<IssuedToken>;
}

export function createLogIn(options: LoginOptions) {
  const { captchaRequired, captcha, knownNetworks, slots, throttle, credentials, deviceCookie } = options;

  /** Where a login comes from that a colleague’s attempts must not keep out: the device, where it is known. */
  function placeOf({ ip, device }: Origin): LoginNetwork {
    if (device !== undefined)
      return { network: `device of ${device.owner}`, isKnownNetwork: true, isOnePerson: true };
    const network = networkOf(ip);
    return { network, isKnownNetwork: knownNetworks.has(network) };
  }

  async function takeSteps(body: LoginBody, from: LoginNetwork, origin: Origin, facts: AttemptFacts) {
    // 2. Verify the captcha.
    const { uuid = '', code = '' } = body;
    if (captchaRequired && !(await captcha.isSolvedBy(uuid, code))) throw new AppError('captcha_wrong');

    // 3. Check username and password and look up the matching user and role.
    const network = networkOf(origin.ip);
    const device = deviceCookie.next(origin.device, body.username);
    const isKnownDevice = origin.device !== undefined;
    const guess = { username: body.username, network, device: device.id, isKnownDevice };
    const verification = await throttle.attempt(guess, () => credentials.verify(body, from));
    facts.account = verification.account;
    if ('refused' in verification) {
      facts.reason = verification.refused;
      throw new AppError('credentials_wrong');
    }

    // 4. Issue a JWT.
    const issued = await options.issueToken(verification.account, origin);
    facts.jti = issued.jti;
    knownNetworks.add(network);
    return { ...issued, device };
  }

  return async function logIn(body: LoginBody, origin: Origin, facts: AttemptFacts): Promise<LoggedIn> {
    // 1. Bind and validate the parameters. The schema did; what it leaves open depends on the mode.
    if (captchaRequired && (body.uuid === undefined || body.code === undefined))
      throw new AppError('params_invalid');
    const from = placeOf(origin);
    return await slots.run(from, () => takeSteps(body, from, origin, facts));
  };
}
