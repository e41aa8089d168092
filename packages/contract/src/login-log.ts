// The outcomes and reasons of the login log, which are closed sets.
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
  'provider_login_required',
  'groups_unreadable',
  'groups_overage',
  'throttled',
  'unavailable',
  'logout',
] as const;
export type LoginReason = (typeof loginReasons)[number];

/** One answered login attempt, or a logout, as the service passes it to the login log. */
export interface LoginAttempt {
  readonly outcome: LoginOutcome;
  readonly reason: LoginReason;
  readonly username: string | undefined;
  readonly userId: number | undefined;
  readonly roleKey: string | undefined;
  readonly jti: string | undefined;
  /** The method that was tried; undefined when it is unknown, and for a logout. */
  readonly method?: LoginMethod | undefined;
  /** The factor that proved it, if there was one. */
  readonly credentialId?: number | undefined;
  /** The key of the provider that proved the identity, or should have. */
  readonly provider?: string | undefined;
  readonly ip: string;
  readonly userAgent: string | undefined;
  readonly requestId: string;
}
