// The login endpoints: captcha, login methods, login and login flows, enrolment during a login, and logout.
import {
  type Account,
  AppError,
  beginLoginEndpoint,
  type Call,
  type Caller,
  captchaEndpoint,
  enrolAtLoginEndpoint,
  type FactorKind,
  goAdminCaptchaEndpoint,
  type Handler,
  type LoginAttempt,
  loginEndpoint,
  loginMethodsEndpoint,
  logoutEndpoint,
  type ProviderKindName,
  type Reply,
  type Route,
  route,
} from '@portcullis/contract';
import { answerWrite } from '../../cluster/answer-write.ts';
import type { TokenCookie } from './cookie.ts';
import type { Device } from './device-cookie.ts';
import { type LoginEntryFacts, logEntryOf } from './log-entry.ts';
import { createLogIn } from './log-in.ts';
import type { LoginFlow } from './login-flows.ts';
import type { LoginOptions } from './login-options.ts';

interface LoginRoutesOptions extends LoginOptions {
  readonly cookie: TokenCookie;
  /** The providers at which a login can begin. */
  readonly listProviders: () => Promise<{ key: string; kind: ProviderKindName; name: string }[]>;
  /** Rate limit: refuses a network or a device owner with too many captchas. */
  readonly captchaLimit: (call: Call<typeof captchaEndpoint>) => void;
  /** The rate limit of text captchas: programs do not use up the captchas of people. */
  readonly textCaptchaLimit: (call: Call<typeof captchaEndpoint>) => void;
  /** The device of the request, if an account has logged in on it before. */
  readonly findDevice: (call: object) => Device | undefined;
  /** Begins to enrol a factor, for an account that passed the first step of a login and has no factor that completes it. */
  readonly enrol: (call: {
    readonly account: Account;
    readonly flow: LoginFlow;
    readonly kind: FactorKind;
    readonly enrolmentCode: string | undefined;
    readonly ip: string;
    readonly requestId: string;
  }) => Promise<Reply<typeof enrolAtLoginEndpoint>['data']>;
  /** Resolves with the revision when no instance accepts the token any more. */
  readonly revokeToken: (caller: Caller) => Promise<number>;
  /** Resolves when the attempt is durable in the login log; rejects if it can be stored nowhere. */
  readonly record: (attempt: LoginAttempt) => Promise<void>;
  /** Whether a user can request a password reset link. */
  readonly isResetOffered: boolean;
  readonly now: () => number;
}

export function loginRoutes(options: LoginRoutesOptions): Route[] {
  const {
    captcha,
    captchaRequired,
    captchaLimit,
    textCaptchaLimit,
    cookie,
    deviceCookie,
    findDevice,
    record,
    revokeToken,
    now,
  } = options;
  const { logIn, begin, findEnroller } = createLogIn(options);

  async function issuePicture(): Promise<{ id: string; data: string }> {
    const { id, picture } = await captcha.issue();
    return { id, data: `data:image/png;base64,${picture.toString('base64')}` };
  }
  async function issueText(methodName: string): Promise<{ id: string; data: string }> {
    const method = options.methods.find(({ name }) => name === methodName);
    if (method?.captcha === undefined) throw new AppError('service_account_keys_disabled');
    const { id, text: data } = await method.captcha.issue();
    return { id, data };
  }
  const fetchCaptcha: Handler<typeof captchaEndpoint> = async (call) => {
    const methodName = call.query.for;
    const isText = methodName !== undefined;
    (isText ? textCaptchaLimit : captchaLimit)(call);
    const issued = isText ? await issueText(methodName) : await issuePicture();
    return captchaRequired ? issued : { ...issued, skipped: true };
  };
  const beginAttempt = () => ({ facts: {} as LoginEntryFacts, isTold: false });
  const originOf = (call: Call<typeof loginEndpoint> | Call<typeof beginLoginEndpoint>) => ({
    ...pick(call),
    device: findDevice(call),
  });

  return [
    route(captchaEndpoint, fetchCaptcha),
    route(goAdminCaptchaEndpoint, fetchCaptcha),
    route(loginMethodsEndpoint, async () => {
      const providers = await options.listProviders();
      const offered = options.methods.filter(
        ({ providerKeyOf }) => providerKeyOf === undefined || providers.length > 0,
      );
      return {
        data: { methods: offered.map(({ name }) => name), providers, passwordReset: options.isResetOffered },
      };
    }),
    route(beginLoginEndpoint, {
      begin: () => undefined,
      handle: async (call) => {
        const { expiresAt, ...begun } = await begin(call.body, originOf(call));
        return { data: { ...begun, expiresAt: expiresAt.toISOString() } };
      },
      // A refusal here is a failed login attempt. After a success, `POST /login` records the attempt.
      onAnswer: async (call, _state, failure) => {
        if (failure !== undefined) await record(logEntryOf(call, failure, {}));
      },
    }),
    route(enrolAtLoginEndpoint, async (call) => {
      const { kind, enrolmentCode } = call.body;
      const { ip, requestId } = call;
      const enroller = await findEnroller(call.body, originOf(call), {});
      return { data: await options.enrol({ ...enroller, kind, enrolmentCode, ip, requestId }) };
    }),
    route(loginEndpoint, {
      begin: beginAttempt,
      handle: async (call, { facts }) => {
        const { token, expiresAt, device, recoveryCodes } = await logIn(call.body, originOf(call), facts);
        cookie.set(call, token, (expiresAt.getTime() - now()) / 1000);
        deviceCookie.set(call, device);
        const codes = recoveryCodes && { recoveryCodes: [...recoveryCodes] };
        return { token, expire: expiresAt.toISOString(), ...codes };
      },
      // Records every answered attempt, also one that never reached the handler.
      onAnswer: async (call, attempt = beginAttempt(), failure) => {
        // If a success cannot be stored, the login is refused and this runs again for the same attempt.
        if (attempt.isTold) return;
        attempt.isTold = true;
        await record(logEntryOf(call, failure, attempt.facts));
      },
    }),
    route(logoutEndpoint, async (call) => {
      const answer = await answerWrite(call, revokeToken(call.caller));
      cookie.clear(call);
      // The token has ended, even if the record cannot be stored.
      await record({ ...call.caller, ...pick(call), outcome: 'success', reason: 'logout' }).catch(() => {});
      return answer;
    }),
  ];
}

function pick({
  ip,
  userAgent,
  requestId,
}: Pick<Call, 'ip' | 'userAgent' | 'requestId'>): Pick<Call, 'ip' | 'userAgent' | 'requestId'> {
  return { ip, userAgent, requestId };
}
