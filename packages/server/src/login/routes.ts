// The endpoints of logging in and out.
import {
  type Account,
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
  type Reply,
  type Route,
  route,
} from '@portcullis/contract';
import { answerWrite } from '../cluster/answer-write.ts';
import { attemptOf } from './attempt.ts';
import type { Attempt } from './attempts.ts';
import type { TokenCookie } from './cookie.ts';
import type { Device } from './device-cookie.ts';
import { type AttemptFacts, createLogIn, type LoginOptions } from './log-in.ts';

interface LoginRoutesOptions extends LoginOptions {
  readonly cookie: TokenCookie;
  /** Refuses a network that fetches too many captchas. */
  readonly captchaLimit: (call: Call<typeof captchaEndpoint>) => void;
  /** The device that a request comes from, where somebody has logged in on it before. */
  readonly findDevice: (call: object) => Device | undefined;
  /** Begins to set a factor up, for whoever passed the first step of an attempt and has none. */
  readonly enrol: (call: {
    readonly account: Account;
    readonly attempt: Attempt;
    readonly kind: FactorKind;
    readonly enrolmentCode: string | undefined;
    readonly ip: string;
    readonly requestId: string;
  }) => Promise<Reply<typeof enrolAtLoginEndpoint>['data']>;
  /** Resolves when no instance accepts the token any more, with the revision. */
  readonly revokeToken: (caller: Caller) => Promise<number>;
  /** Resolves when the attempt is durable in the login log; rejects where it can be kept nowhere. */
  readonly record: (attempt: LoginAttempt) => Promise<void>;
  readonly now: () => number;
}

export function loginRoutes(options: LoginRoutesOptions): Route[] {
  const {
    captcha,
    captchaRequired,
    captchaLimit,
    cookie,
    deviceCookie,
    findDevice,
    record,
    revokeToken,
    now,
  } = options;
  const { logIn, begin, findEnroller } = createLogIn(options);

  const fetchCaptcha: Handler<typeof captchaEndpoint> = async (call) => {
    captchaLimit(call);
    const { id, picture } = await captcha.issue();
    const data = `data:image/png;base64,${picture.toString('base64')}`;
    return captchaRequired ? { id, data } : { id, data, skipped: true };
  };
  const beginAttempt = () => ({ facts: {} as AttemptFacts, isTold: false });
  const originOf = (call: Call<typeof loginEndpoint> | Call<typeof beginLoginEndpoint>) => ({
    ...pick(call),
    device: findDevice(call),
  });

  return [
    route(captchaEndpoint, fetchCaptcha),
    route(goAdminCaptchaEndpoint, fetchCaptcha),
    route(loginMethodsEndpoint, () => ({ data: { methods: options.methods.map(({ name }) => name) } })),
    route(beginLoginEndpoint, {
      begin: () => undefined,
      handle: async (call) => {
        const { expiresAt, ...begun } = await begin(call.body, originOf(call));
        return { data: { ...begun, expiresAt: expiresAt.toISOString() } };
      },
      // Who is refused here tried to log in; who is not will.
      onAnswer: async (call, _state, failure) => {
        if (failure !== undefined) await record(attemptOf(call, failure, {}));
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
      // Takes every answered attempt, also one that never reached the handler.
      onAnswer: async (call, attempt = beginAttempt(), failure) => {
        // A success that could be kept nowhere is refused, and was one attempt.
        if (attempt.isTold) return;
        attempt.isTold = true;
        await record(attemptOf(call, failure, attempt.facts));
      },
    }),
    route(logoutEndpoint, async (call) => {
      const answer = await answerWrite(call, revokeToken(call.caller));
      cookie.clear(call);
      // The token has ended, whether that can be recorded or not.
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
