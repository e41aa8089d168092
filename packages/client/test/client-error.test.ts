// What an answer means: every row of the service's error table, and everything that is no answer of the service.
import { ClientError, classify, findError } from '@portcullis/client';
import { type ErrorKind, errorTable } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';

const kinds: Readonly<Record<ErrorKind, ReturnType<typeof classify>>> = {
  token_missing: 'signed_out',
  token_malformed: 'signed_out',
  token_expired: 'signed_out',
  token_revoked: 'signed_out',
  permission_denied: 'not_allowed',
  exceeds_own_permissions: 'not_allowed',
  rate_limited: 'rate_limited',
  cross_site: 'cross_site',
  params_invalid: 'invalid',
  password_change_required: 'password_change_required',
  password_weak: 'invalid',
  captcha_missing: 'invalid',
  captcha_wrong: 'invalid',
  credentials_wrong: 'invalid',
  code_wrong: 'invalid',
  passkey_wrong: 'invalid',
  key_wrong: 'invalid',
  factor_required: 'invalid',
  factor_required_by_role: 'conflict',
  passkeys_disabled: 'conflict',
  provider_refused: 'invalid',
  provider_link_missing: 'invalid',
  provider_login_required: 'conflict',
  provider_unknown: 'invalid',
  provider_unavailable: 'unavailable',
  logout_token_wrong: 'invalid',
  provider_check_failed: 'conflict',
  provider_secret_missing: 'invalid',
  provider_settings_wrong: 'invalid',
  service_account_keys_disabled: 'conflict',
  account_kind_wrong: 'conflict',
  webhook_url_refused: 'invalid',
  password_link_wrong: 'invalid',
  mail_disabled: 'conflict',
  password_links_disabled: 'conflict',
  conflict: 'conflict',
  plan_changed: 'conflict',
  revision_conflict: 'conflict',
  name_unclear: 'invalid',
  already_allowed: 'conflict',
  route_unknown: 'invalid',
  access_request_limit: 'conflict',
  already_decided: 'conflict',
  requester_disabled: 'conflict',
  record_not_found: 'not_found',
  route_not_found: 'not_found',
  not_http: 'invalid',
  body_too_large: 'invalid',
  content_type_wrong: 'invalid',
  internal: 'fault',
  unavailable: 'unavailable',
};

const received = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
  status,
  body,
  header: (name: string) => headers[name],
});

describe('an error of the service', () => {
  it.each(Object.entries(kinds) as [ErrorKind, string][])('%s is %s', (name, kind) => {
    const { code, status, text, ...row } = errorTable[name];
    const reason = 'reason' in row ? row.reason : undefined;
    expect(classify({ status, code, reason })).toBe(kind);
    const headers: Record<string, string> = {
      'x-request-id': 'r1',
      ...(reason && { 'x-auth-reason': reason }),
    };
    const error = findError(received(status, { code, msg: text.zh }, headers));
    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject({ kind, code, status, reason, msg: text.zh, requestId: 'r1' });
  });

  it.each([undefined, null, '', 'token_stolen'])('401 with the reason %j asks to sign in again', (reason) => {
    expect(classify({ status: 200, code: 401, reason })).toBe('signed_out');
  });

  it('maps 403 with permission_denied (a service set to go-admin’s codes) to not_allowed and keeps the session', () => {
    expect(classify({ status: 200, code: 403, reason: 'permission_denied' })).toBe('not_allowed');
  });

  it.each([undefined, null, '', 'token_expired'])(
    'rejects 403 with the reason %j as not understood',
    (reason) => {
      expect(classify({ status: 200, code: 403, reason })).toBe('not_understood');
    },
  );

  it('a wrong password is neither of the two events', () => {
    const headers = { 'x-auth-reason': 'credentials_wrong' };
    const error = findError(received(200, { code: 400, msg: 'no' }, headers));
    expect(error).toMatchObject({ kind: 'invalid', reason: 'credentials_wrong' });
  });
});

it.each([
  [
    { revision: 3, current: { name: 'Now' } },
    { revision: 3, current: { name: 'Now' } },
  ],
  [{ revision: '3', current: {} }, undefined],
  [{ revision: 3, current: null }, undefined],
  [{ revision: 3 }, undefined],
  [null, undefined],
  ['3', undefined],
])('the details of a conflict are read where they are whole (%j)', (details, read) => {
  expect(findError(received(200, { code: 409, msg: 'no', details }))?.details).toEqual(read);
});

describe('an answer that the service did not send', () => {
  it.each([
    ['a page', '<html>502 Bad Gateway</html>'],
    ['nothing', undefined],
    ['null', null],
    ['a list', [401]],
    ['an object without a code', { msg: 'no' }],
    ['a code that is a text', { code: '200', msg: 'success' }],
    ['a refusal without a text', { code: 401, message: 'Unauthorized' }],
    ['an unknown code', { code: 418, msg: 'teapot' }],
    ['the name of a method as code', { code: 'get', msg: '' }],
  ])('%s is not understood, whatever the status', (_what, body) => {
    for (const status of [200, 204, 401, 403, 502, 503]) {
      const error = findError(received(status, body, { 'x-auth-reason': 'token_expired' }));
      expect(error).toMatchObject({ kind: 'not_understood', status, code: undefined, msg: undefined });
    }
  });

  it.each([0, 199, 301, 400, 500])('code 200 with HTTP %i is no success', (status) => {
    expect(classify({ status, code: 200 })).toBe('not_understood');
    expect(findError(received(status, { code: 200, msg: 'success', data: 1 }))).toBeInstanceOf(ClientError);
  });
});

it.each([
  ['3', 3],
  ['0', 0],
  ['-1', undefined],
  ['soon', undefined],
  ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
])('reads Retry-After %j as %j seconds', (text, seconds) => {
  const error = findError(received(200, { code: 429, msg: 'wait' }, { 'retry-after': text }));
  expect(error).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: seconds });
});

it('takes HTTP success with code 200 for a success', () => {
  expect(findError(received(200, { code: 200, msg: 'success', data: null }))).toBeUndefined();
});
