// The closed sets of the login log.
export const loginOutcomes = ['success', 'failure'] as const;
export type LoginOutcome = (typeof loginOutcomes)[number];

export const loginReasons = [
  'ok',
  'params_invalid',
  'captcha_wrong',
  'credentials_wrong',
  'user_disabled',
  'role_disabled',
  'throttled',
  'unavailable',
  'logout',
] as const;
export type LoginReason = (typeof loginReasons)[number];

/** One answered attempt to log in, or a logout, as the service tells it to the login log. */
export interface LoginAttempt {
  readonly outcome: LoginOutcome;
  readonly reason: LoginReason;
  readonly username: string | undefined;
  readonly userId: number | undefined;
  readonly roleKey: string | undefined;
  readonly jti: string | undefined;
  readonly ip: string;
  readonly userAgent: string | undefined;
  readonly requestId: string;
}
