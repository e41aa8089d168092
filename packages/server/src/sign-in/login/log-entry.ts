// What the login log is told about an answered attempt.
import type { Call, ErrorKind, LoginAttempt, LoginReason } from '@portcullis/contract';
import type { LoginEntryFacts } from './log-in.ts';

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

/** An attempt that failed validation has whatever body was sent, or none. */
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
    case 'link_missing':
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
