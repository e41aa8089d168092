// Builds the login log entry of an answered login attempt.
import type { Account, Call, ErrorKind, LoginAttempt, LoginMethod, LoginReason } from '@portcullis/contract';

/** Facts about a login attempt for its log entry, beside the request body. */
export interface LoginEntryFacts {
  account?: Account | undefined;
  jti?: string;
  method?: LoginMethod;
  credentialId?: number | undefined;
  /** The key of the provider that verified the proof, or should have. */
  provider?: string | undefined;
  /** The reason of a refusal, if it says more than the answer. */
  reason?: LoginReason;
}

export function logEntryOf(
  call: Pick<Call, 'ip' | 'userAgent' | 'requestId'> & { readonly body: unknown },
  failure: ErrorKind | undefined,
  facts: LoginEntryFacts,
): LoginAttempt {
  return {
    outcome: failure === undefined ? 'success' : 'failure',
    reason: failure === undefined ? 'ok' : (facts.reason ?? reasonOf(failure)),
    username: usernameOf(call.body) ?? facts.account?.username,
    userId: facts.account?.userId,
    roleKey: facts.account?.roleKey,
    jti: facts.jti,
    method: facts.method,
    credentialId: facts.credentialId,
    provider: facts.provider,
    ip: call.ip,
    userAgent: call.userAgent,
    requestId: call.requestId,
  };
}

/** The body of an attempt that failed validation can have any shape, or be missing. */
function usernameOf(body: unknown): string | undefined {
  const username = (body as { username?: unknown } | null | undefined)?.username;
  return typeof username === 'string' ? username : undefined;
}

function reasonOf(failure: ErrorKind): LoginReason {
  switch (failure) {
    case 'captcha_wrong':
    case 'credentials_wrong':
    case 'factor_required':
    case 'params_invalid':
      return failure;
    case 'code_wrong':
    case 'passkey_wrong':
    case 'provider_refused':
    case 'provider_link_missing':
    case 'key_wrong':
      return 'credentials_wrong';
    case 'captcha_missing':
    case 'provider_unknown':
    case 'body_too_large':
    case 'content_type_wrong':
      return 'params_invalid';
    case 'rate_limited':
      return 'throttled';
    default:
      return 'unavailable';
  }
}
