import { AppError, authReasons, type ErrorKind, errorTable, languages } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';

// biome-ignore format: One row a kind.
const expected: Record<ErrorKind, { code: number; status: number; reason: string | undefined }> = {
  token_missing:                  { code: 401, status: 200, reason: 'token_missing' },
  token_malformed:                { code: 401, status: 200, reason: 'token_malformed' },
  token_expired:                  { code: 401, status: 200, reason: 'token_expired' },
  token_revoked:                  { code: 401, status: 200, reason: 'token_revoked' },
  permission_denied:              { code: 401, status: 200, reason: 'permission_denied' },
  exceeds_own_permissions:        { code: 401, status: 200, reason: 'permission_denied' },
  rate_limited:                   { code: 429, status: 200, reason: 'rate_limited' },
  cross_site:                     { code: 401, status: 200, reason: 'cross_site' },
  params_invalid:                 { code: 400, status: 200, reason: 'params_invalid' },
  password_change_required:       { code: 403, status: 200, reason: 'password_change_required' },
  password_weak:                  { code: 400, status: 200, reason: 'password_weak' },
  captcha_missing:                { code: 400, status: 200, reason: 'params_invalid' },
  captcha_wrong:                  { code: 400, status: 200, reason: 'captcha_wrong' },
  credentials_wrong:              { code: 400, status: 200, reason: 'credentials_wrong' },
  code_wrong:                     { code: 400, status: 200, reason: 'credentials_wrong' },
  passkey_wrong:                  { code: 400, status: 200, reason: 'credentials_wrong' },
  key_wrong:                      { code: 400, status: 200, reason: 'credentials_wrong' },
  factor_required:                { code: 400, status: 200, reason: 'factor_required' },
  factor_required_by_role:        { code: 409, status: 200, reason: undefined },
  passkeys_disabled:              { code: 409, status: 200, reason: undefined },
  provider_refused:               { code: 400, status: 200, reason: 'credentials_wrong' },
  provider_link_missing:          { code: 400, status: 200, reason: 'credentials_wrong' },
  provider_login_required:        { code: 409, status: 200, reason: undefined },
  provider_unknown:               { code: 400, status: 200, reason: 'params_invalid' },
  provider_unavailable:           { code: 503, status: 503, reason: 'unavailable' },
  logout_token_wrong:             { code: 400, status: 400, reason: undefined },
  provider_check_failed:          { code: 409, status: 200, reason: undefined },
  provider_secret_missing:        { code: 400, status: 200, reason: 'params_invalid' },
  provider_settings_wrong:        { code: 400, status: 200, reason: 'params_invalid' },
  service_account_keys_disabled:  { code: 409, status: 200, reason: undefined },
  account_kind_wrong:             { code: 409, status: 200, reason: undefined },
  webhook_url_refused:            { code: 400, status: 200, reason: 'params_invalid' },
  password_link_wrong:            { code: 400, status: 200, reason: 'credentials_wrong' },
  mail_disabled:                  { code: 409, status: 200, reason: undefined },
  password_links_disabled:        { code: 409, status: 200, reason: undefined },
  conflict:                       { code: 409, status: 200, reason: undefined },
  plan_changed:                   { code: 409, status: 200, reason: undefined },
  revision_conflict:              { code: 409, status: 200, reason: undefined },
  name_unclear:                   { code: 400, status: 200, reason: 'params_invalid' },
  already_allowed:                { code: 409, status: 200, reason: undefined },
  route_unknown:                  { code: 400, status: 200, reason: 'params_invalid' },
  access_request_limit:           { code: 409, status: 200, reason: undefined },
  already_decided:                { code: 409, status: 200, reason: undefined },
  requester_disabled:             { code: 409, status: 200, reason: undefined },
  record_not_found:               { code: 404, status: 200, reason: undefined },
  route_not_found:                { code: 404, status: 404, reason: undefined },
  not_http:                       { code: 400, status: 400, reason: undefined },
  body_too_large:                 { code: 413, status: 413, reason: undefined },
  content_type_wrong:             { code: 415, status: 415, reason: undefined },
  internal:                       { code: 500, status: 500, reason: undefined },
  unavailable:                    { code: 503, status: 503, reason: 'unavailable' },
};
const kinds = Object.keys(errorTable) as ErrorKind[];

describe('the error table', () => {
  it('has exactly the kinds that the contract knows', () => {
    expect(kinds.toSorted()).toEqual(Object.keys(expected).toSorted());
  });

  it.each(kinds)('answers %s with the code, the status and the reason of the contract', (kind) => {
    const { code, status, text: _text, ...row } = errorTable[kind];
    expect({ code, status, reason: 'reason' in row ? row.reason : undefined }).toEqual(expected[kind]);
  });

  it.each(kinds)('says %s in every language, each in its own script', (kind) => {
    const { en, zh, ...others } = errorTable[kind].text;
    expect(Object.keys(errorTable[kind].text).toSorted()).toEqual(languages.toSorted());
    expect(others).toEqual({});
    expect(en).toMatch(/^[A-Z][\x20-\x7e]+\.$/);
    expect(zh).toMatch(/\p{Script=Han}.*。$/u);
  });

  it.each(kinds.filter((kind) => 'reason' in errorTable[kind]))('names a known reason for %s', (kind) => {
    expect(authReasons).toContain(expected[kind].reason);
  });

  it('has a kind for every reason', () => {
    const named = Object.values(expected).map(({ reason }) => reason);
    for (const reason of authReasons) expect(named).toContain(reason);
  });

  it('answers every refusal of a caller with HTTP 200, so that only the code decides', () => {
    const refusals = kinds.filter((kind) => [401, 403, 409, 429].includes(errorTable[kind].code));
    expect(refusals).toHaveLength(24);
    for (const kind of refusals) expect(errorTable[kind].status).toBe(200);
  });

  it('answers no failure of login with code 401, which would reload the login page', () => {
    for (const kind of ['params_invalid', 'captcha_wrong', 'credentials_wrong', 'rate_limited'] as const)
      expect(errorTable[kind].code).not.toBe(401);
  });
});

describe('AppError', () => {
  it('keeps its cause out of its message', () => {
    const error = new AppError('internal', { cause: new Error('select * from users') });
    expect(error.message).toBe('internal');
    expect(error.cause).toBeInstanceOf(Error);
  });

  it('carries when to come back', () => {
    expect(new AppError('rate_limited', { retryAfterSeconds: 3 })).toMatchObject({
      kind: 'rate_limited',
      retryAfterSeconds: 3,
    });
    expect(new AppError('rate_limited').retryAfterSeconds).toBeUndefined();
  });
});
