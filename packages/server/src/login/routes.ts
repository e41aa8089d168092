// The endpoints of logging in and out.
import {
  type Call,
  type Caller,
  captchaEndpoint,
  goAdminCaptchaEndpoint,
  type Handler,
  type LoginAttempt,
  loginEndpoint,
  logoutEndpoint,
  type Route,
  route,
} from '@portcullis/contract';
import { answerWrite } from '../cluster/answer-write.ts';
import { attemptOf } from './attempt.ts';
import type { TokenCookie } from './cookie.ts';
import type { Device } from './device-cookie.ts';
import { type AttemptFacts, createLogIn, type LoginOptions } from './log-in.ts';

interface LoginRoutesOptions extends LoginOptions {
  readonly cookie: TokenCookie;
  /** Refuses a network that fetches too many captchas. */
  readonly captchaLimit: (call: Call<typeof captchaEndpoint>) => void;
  /** The device that a request comes from, where somebody has logged in on it before. */
  readonly findDevice: (call: object) => Device | undefined;
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
  const logIn = createLogIn(options);

  const fetchCaptcha: Handler<typeof captchaEndpoint> = async (call) => {
    captchaLimit(call);
    const { id, picture } = await captcha.issue();
    const data = `data:image/png;base64,${picture.toString('base64')}`;
    return captchaRequired ? { id, data } : { id, data, skipped: true };
  };
  const beginAttempt = () => ({ facts: {} as AttemptFacts, isTold: false });

  return [
    route(captchaEndpoint, fetchCaptcha),
    route(goAdminCaptchaEndpoint, fetchCaptcha),
    route(loginEndpoint, {
      begin: beginAttempt,
      handle: async (call, { facts }) => {
        const { ip, userAgent } = call;
        const origin = { ip, userAgent, device: findDevice(call) };
        const { token, expiresAt, device } = await logIn(call.body, origin, facts);
        cookie.set(call, token, (expiresAt.getTime() - now()) / 1000);
        deviceCookie.set(call, device);
        return { token, expire: expiresAt.toISOString() };
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

function pick({ ip, userAgent, requestId }: Call): Pick<Call, 'ip' | 'userAgent' | 'requestId'> {
  return { ip, userAgent, requestId };
}
