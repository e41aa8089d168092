import { AppError, type Caller } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { createPasswordDueCheck } from '../../src/checks/password-due-check.ts';

const mei: Caller = {
  userId: 7,
  username: 'mei',
  roleId: 1,
  roleKey: 'admin',
  dataScope: '1',
  jti: 'j',
  expiresAt: 0,
};
const due: Caller = { ...mei, passwordDue: true };
const check = createPasswordDueCheck(['PUT /api/v1/user/password']);

/** `passed`, or the kind of the refusal. */
function outcomeOf(caller: Caller | undefined, route: string): string {
  try {
    check({ caller, route });
    return 'passed';
  } catch (error) {
    return error instanceof AppError ? error.kind : 'fault';
  }
}

describe('a caller whose password must be changed first', () => {
  it.each(['GET /api/v1/orders', 'GET /api/v1/user/password', 'PUT /api/v1/user/passwords', ''])(
    'is refused %j, whatever the role',
    (route) => {
      expect(outcomeOf(due, route)).toBe('password_change_required');
    },
  );

  it('is refused for whatever the mark is', () => {
    for (const passwordDue of [false, null, 0, 'no'])
      expect(outcomeOf({ ...mei, passwordDue } as never, 'GET /api/v1/orders')).toBe(
        'password_change_required',
      );
  });

  it('passes where the endpoint says so', () => {
    expect(outcomeOf(due, 'PUT /api/v1/user/password')).toBe('passed');
  });
});

it('refuses a request without a caller', () => {
  expect(outcomeOf(undefined, 'PUT /api/v1/user/password')).toBe('token_missing');
});

it('lets every other caller pass everywhere', () => {
  expect(outcomeOf(mei, 'GET /api/v1/orders')).toBe('passed');
  expect(outcomeOf(mei, '')).toBe('passed');
});
