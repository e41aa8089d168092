// The login processing order of the specification, step by step. The order of the steps must not change: the captcha is verified
// before the account is read, and the brute-force protection reserves the attempt before the password is verified.
import {
  AppError,
  type LoginBody,
  type LoginByKey,
  type LoginStep,
  type PasskeyRequest,
} from '@portcullis/contract';
import { networkOf } from '../../base/values/network.ts';
import { attemptKeyOf } from './attempt-key.ts';
import type { Captcha } from './captcha/captcha.ts';
import type { StoredAccount } from './credentials/credential-verifier.ts';
import type { RefusalClock } from './credentials/refusal-deadline.ts';
import type { Device } from './device-cookie.ts';
import type { LoginEntryFacts } from './log-entry.ts';
import type { LoginFlow } from './login-flows.ts';
import type { IssuedToken, LoginOptions, Origin } from './login-options.ts';
import { createLoginProgress } from './login-progress.ts';
import type { LoginMethod } from './method.ts';
import type { LoginNetwork } from './throttle/login-concurrency-limit.ts';
import type { Admission } from './throttle/throttle.ts';

export interface LoggedIn extends IssuedToken {
  /** The device after this login. */
  readonly device: Device;
  readonly recoveryCodes?: readonly string[] | undefined;
}

/** The answer to a page that begins a login flow. */
interface Begun {
  readonly flowId: string;
  readonly expiresAt: Date;
  readonly passkey?: PasskeyRequest;
  /** The authorization URL to which the browser is redirected, for a login through a provider. */
  readonly url?: string;
}

/** The body of a login request. Each method reads its own fields from it. */
type Sent = LoginBody | LoginStep | LoginByKey;
type CaptchaFields = Pick<LoginBody, 'uuid' | 'code'>;

/** A login attempt: the request, its origin, and the facts for the log. */
interface Given {
  readonly body: Sent;
  readonly from: LoginNetwork;
  readonly origin: Origin;
  readonly facts: LoginEntryFacts;
  readonly clock: RefusalClock;
}

export function createLogIn(options: LoginOptions) {
  const { captchaRequired, captcha, flows, knownNetworks, slots, throttle, methods, deviceCookie } = options;
  const { findBegun, issue } = createLoginProgress(options);

  /** A known device has its own slots, so that attempts from other users of the same network do not block it. */
  function networkOfLogin({ ip, device }: Origin): LoginNetwork {
    if (device !== undefined)
      return { network: `device of ${device.owner}`, isKnownNetwork: true, isOnePerson: true };
    const network = networkOf(ip);
    return { network, isKnownNetwork: knownNetworks.has(network) };
  }

  function checkFields({ uuid, code }: CaptchaFields): void {
    if (captchaRequired && (uuid === undefined || code === undefined)) throw new AppError('captcha_missing');
  }

  async function consumeCaptcha(
    { uuid = '', code = '' }: CaptchaFields,
    { isSolvedBy }: Pick<Captcha, 'isSolvedBy'> = captcha,
  ): Promise<void> {
    if (captchaRequired && !(await isSolvedBy(uuid, code))) throw new AppError('captcha_wrong');
  }

  /** A login of one step consumes its captcha. A login flow consumed it at the start, and each step sends it again. */
  async function verifyCaptcha(body: Sent, method: LoginMethod): Promise<LoginFlow | undefined> {
    const { begins, follows } = method;
    if (!('flowId' in body) || body.flowId === undefined) {
      await consumeCaptcha(body, method.captcha);
      return undefined;
    }
    const step = begins ? (follows ? 'any' : 'first') : 'later';
    const flow = await flows.take(body.flowId, body, step);
    if (flow === undefined) throw new AppError('captcha_wrong');
    return flow;
  }

  async function prove(
    method: LoginMethod,
    flow: LoginFlow | undefined,
    { body, from, origin, facts, clock }: Given,
  ) {
    facts.method = method.name;

    // 3. Check username and password, or another proof, and look up the matching user and role.
    const began = await findBegun(flow, facts);
    const username = 'username' in body ? body.username : (began?.username ?? '');
    const device = deviceCookie.next(origin.device, username);
    const { isForeignName } = method;
    const attemptKey = { ...attemptKeyOf(username, device, origin), ...(isForeignName && { isForeignName }) };
    const { ip, requestId } = origin;
    const { isKnownNetwork } = from;
    const verify = async (admitted?: Admission<StoredAccount>) => {
      clock.goOn(admitted?.prefetched.milliseconds ?? 0);
      const found = method.readsAccount ? admitted?.prefetched : undefined;
      const proof = await method.verify({ ...body }, { isKnownNetwork, flow, began, found, ip, requestId });
      facts.account = proof.account;
      if ('refused' in proof) {
        clock.settleBy(admitted?.keepAsWrong());
        return proof;
      }

      // 4. Issue a JWT.
      const settles = isForeignName ? undefined : admitted;
      return await issue(proof, method, { origin, flow, facts, admitted: settles });
    };
    const prefetched = method.readsAccount ? options.selectAccount(username) : undefined;
    clock.stop();
    // A right proof below the required factor counts neither as a failure nor as a success. A proof without a username names
    // its account and cannot be guessed. It is not counted: under one empty name, wrong proofs would lock out all users.
    const issued = await (username === '' ? verify() : throttle.attempt(attemptKey, verify, prefetched));
    if ('refused' in issued) {
      facts.reason = issued.refused;
      clock.addRest(issued.restMilliseconds ?? 0);
      throw new AppError(method.wrong);
    }
    facts.jti = issued.jti;
    knownNetworks.add(attemptKey.network);
    return { ...issued, device: deviceCookie.next(device, facts.account?.username ?? username) };
  }

  async function proveHereOrAtDirectory(method: LoginMethod, given: Given) {
    const { body, from, facts, clock } = given;
    const taken = await slots.run(from, async () => {
      const flow = await verifyCaptcha(body, method);
      const asksDirectory = method.readsAccount && 'username' in body;
      const found = asksDirectory ? await options.directory.find(body) : undefined;
      const directory = found?.directory;
      if (found?.isAnyEnabled) clock.hasDeadline(directory ? { directory: directory.key } : { hash: true });
      return directory === undefined ? await prove(method, flow, given) : { ...directory, flow };
    });
    if ('token' in taken) return taken;
    // The directory has separate slots, so that users with a local password can log in while the directory hangs. The method
    // enters the directory's own concurrency limit only when it sends its request: attempts that wait for another attempt at
    // the same name do not count there.
    facts.provider = taken.key;
    return await options.directory.slots.run(from, () => prove(taken.method, taken.flow, given));
  }

  async function beginAt(key: string, body: Pick<Sent, 'uuid' | 'code'>): Promise<Begun> {
    return await options.redirectFlow.run(key, async () => {
      const providerId = await options.redirectFlow.findId(key);
      await consumeCaptcha(body);
      const { handle, expiresAt } = await flows.begin(body, providerId);
      return { flowId: handle, expiresAt, ...(await options.redirectFlow.authorizationUrl(key, handle)) };
    });
  }

  return {
    async logIn(body: Sent, origin: Origin, facts: LoginEntryFacts): Promise<LoggedIn> {
      // 1. Bind and validate the parameters. The schema has validated them, except what depends on the mode.
      checkFields(body);
      const method = methods.find(({ reads }) => reads(body));
      if (method === undefined) throw new AppError('params_invalid');
      facts.method = method.name;
      const from = networkOfLogin(origin);
      const clock = options.refusals.begin();
      const given = { body, from, origin, facts, clock };

      // 2. Verify the captcha.
      const key = method.providerKeyOf?.({ ...body });
      try {
        if (key === undefined) return await proveHereOrAtDirectory(method, given);
        facts.provider = key;
        return await options.redirectFlow.run(key, async (name) => {
          facts.method = name;
          return await prove({ ...method, name }, await verifyCaptcha(body, method), given);
        });
      } catch (error) {
        await clock.waitFor(error).catch((unsettled: unknown) => {
          // The answer then is the storage error, because the attempt could not be counted.
          delete facts.reason;
          throw unsettled;
        });
        throw error;
      }
    },
    /** Begins a login flow. Each step sends the solved captcha again. */
    async begin(
      { provider, ...body }: CaptchaFields & { readonly provider?: string | undefined },
      origin: Origin,
    ): Promise<Begun> {
      checkFields(body);
      if (provider !== undefined) return await beginAt(provider, body);
      return await slots.run(networkOfLogin(origin), async () => {
        await consumeCaptcha(body);
        const { handle, expiresAt } = await flows.begin(body);
        const prepared = methods.map((method) => method.prepare?.(handle));
        return { flowId: handle, expiresAt, ...Object.assign({}, ...prepared) } as Begun;
      });
    },
    /** Takes a try of a login flow whose first step was passed, to enrol a factor during the login. */
    async findEnroller(
      body: Pick<LoginBody, 'flowId' | 'uuid' | 'code'>,
      origin: Origin,
      facts: LoginEntryFacts,
    ) {
      checkFields(body);
      return await slots.run(networkOfLogin(origin), async () => {
        const flow = await flows.take(body.flowId ?? '', body, 'later');
        const account = await findBegun(flow, facts);
        if (flow === undefined || account === undefined) throw new AppError('captcha_wrong');
        return { flow, account };
      });
    },
  };
}
