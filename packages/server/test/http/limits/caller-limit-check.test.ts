import type { Caller } from '@portcullis/contract';
import { expect, it } from 'vitest';
import { createCallerLimitCheck } from '../../../src/http/limits/caller-limit-check.ts';

const callerOf = (userId: number) => ({ userId }) as Caller;

function createWorld() {
  const check = createCallerLimitCheck({
    requestsPerSecond: 1,
    burst: 3,
    now: () => 1000,
    takingAway: ['DELETE /api/v1/sessions'],
  });
  const passes = (userId: number, route = 'GET /api/v1/orders') => {
    try {
      check({ caller: callerOf(userId), route });
      return true;
    } catch (error) {
      expect(error).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 1 });
      return false;
    }
  };
  const countPassed = (times: number, ...call: Parameters<typeof passes>) =>
    Array.from({ length: times }, () => passes(...call)).filter(Boolean).length;
  return { check, countPassed };
}

it('rejects a request without a caller', () => {
  const { check } = createWorld();
  expect(() => check({ caller: undefined, route: 'GET /api/v1/orders' })).toThrow(
    expect.objectContaining({ kind: 'token_missing' }),
  );
});

it('has a separate budget for each person', () => {
  const { countPassed } = createWorld();
  expect([countPassed(9, 7), countPassed(9, 8)]).toEqual([3, 3]);
});

it('counts revocations and other calls separately', () => {
  const { countPassed } = createWorld();
  expect(countPassed(9, 7)).toBe(3);
  expect(countPassed(9, 7, 'DELETE /api/v1/sessions')).toBe(3);
  expect(countPassed(9, 8, 'DELETE /api/v1/sessions')).toBe(3);
  expect(countPassed(9, 8)).toBe(3);
});
