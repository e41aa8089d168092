import {
  type Call,
  type ErrorKind,
  errorTable,
  type LoginReason,
  type loginEndpoint,
} from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { logEntryOf } from '../../../src/sign-in/login/log-entry.ts';

const callWith = (body: unknown) =>
  ({ body, ip: '192.0.2.1', userAgent: 'curl/8', requestId: 'r-1' }) as Call<typeof loginEndpoint>;
const account = {
  userId: 7,
  username: 'Mei',
  roleId: 2,
  roleKey: 'editor',
  dataScope: '3',
  epoch: 1,
} as const;

// biome-ignore format: One row a failure.
const reasons: Partial<Record<ErrorKind, LoginReason>> = {
  captcha_missing:    'params_invalid',
  params_invalid:     'params_invalid',
  body_too_large:     'params_invalid',
  content_type_wrong: 'params_invalid',
  captcha_wrong:      'captcha_wrong',
  credentials_wrong:  'credentials_wrong',
  code_wrong:         'credentials_wrong',
  passkey_wrong:      'credentials_wrong',
  key_wrong:          'credentials_wrong',
  provider_refused:   'credentials_wrong',
  provider_link_missing:       'credentials_wrong',
  provider_unknown:   'params_invalid',
  factor_required:    'factor_required',
  rate_limited:       'throttled',
};

describe('the login log receives', () => {
  it.each(Object.keys(errorTable) as ErrorKind[])('an attempt that failed with %s', (kind) => {
    expect(logEntryOf(callWith({ username: 'mei' }), kind, {})).toEqual({
      outcome: 'failure',
      reason: reasons[kind] ?? 'unavailable',
      username: 'mei',
      userId: undefined,
      roleKey: undefined,
      jti: undefined,
      ip: '192.0.2.1',
      userAgent: 'curl/8',
      requestId: 'r-1',
    });
  });

  it.each(['user_disabled', 'role_disabled'] as const)(
    'the true reason %s, which the caller does not get',
    (reason) => {
      expect(logEntryOf(callWith({}), 'credentials_wrong', { reason }).reason).toBe(reason);
    },
  );

  it.each([undefined, null, 'text', 7, [], {}, { username: 7 }, { username: ['mei'] }])(
    'no username when the body is %j',
    (body) => {
      expect(logEntryOf(callWith(body), 'params_invalid', {}).username).toBeUndefined();
    },
  );

  it('a failure with the user of the given name, where one exists', () => {
    const facts = { account, reason: 'credentials_wrong' } as const;
    expect(logEntryOf(callWith({ username: 'MEI' }), 'credentials_wrong', facts)).toMatchObject({
      outcome: 'failure',
      username: 'MEI',
      userId: 7,
      roleKey: 'editor',
      jti: undefined,
    });
  });

  it('a success with user, role and token', () => {
    expect(logEntryOf(callWith({ username: 'mei' }), undefined, { account, jti: 'j' })).toMatchObject({
      outcome: 'success',
      reason: 'ok',
      username: 'mei',
      userId: 7,
      roleKey: 'editor',
      jti: 'j',
    });
  });

  it('no password, whatever was sent', () => {
    const told = logEntryOf(
      callWith({ username: 'mei', password: 'canary', code: 'canary' }),
      'captcha_wrong',
      {},
    );
    expect(JSON.stringify(told)).not.toContain('canary');
  });
});
