// The closed sets of the login log.
import type { LoginMethod } from './factor.ts';

export const loginOutcomes = ['success', 'failure'] as const;
export type LoginOutcome = (typeof loginOutcomes)[number];

export const loginReasons = [
  'ok',
  'params_invalid',
  'captcha_wrong',
  'credentials_wrong',
  'factor_required',
  'user_disabled',
  'role_disabled',
  'provider_decides',
  'groups_unreadable',
  'groups_overage',
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
  /** What it was tried with; undefined of what cannot be told, and of a logout. */
  readonly method?: LoginMethod | undefined;
  /** The factor that proved it, where there was one. */
  readonly credentialId?: number | undefined;
  /** The key of the provider that vouched for it, or was to. */
  readonly provider?: string | undefined;
  readonly ip: string;
  readonly userAgent: string | undefined;
  readonly requestId: string;
}
