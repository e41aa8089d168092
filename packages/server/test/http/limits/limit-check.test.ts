import { AppError } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { createLimitCheck } from '../../../src/http/limits/limit-check.ts';

function createLimit(requestsPerSecond: number, burst: number) {
  let milliseconds = 1_000_000;
  const check = createLimitCheck({ requestsPerSecond, burst, now: () => milliseconds });
  /** `passed`, or the seconds after which to come back. */
  const answerTo = (ip: string): 'passed' | number => {
    try {
      check({ ip });
      return 'passed';
    } catch (error) {
      if (error instanceof AppError && error.kind === 'rate_limited') return error.retryAfterSeconds ?? -1;
      throw error;
    }
  };
  const passedOf = (count: number, ip: string) =>
    Array.from({ length: count }, () => answerTo(ip)).filter((answer) => answer === 'passed').length;
  return {
    answerTo,
    passedOf,
    wait: (elapsed: number) => {
      milliseconds += elapsed;
    },
  };
}

describe('the limit', () => {
  it('refuses what comes after the burst, and says when to come back', () => {
    const { passedOf, answerTo } = createLimit(10, 20);
    expect(passedOf(50, '192.0.2.1')).toBe(20);
    expect(answerTo('192.0.2.1')).toBe(1);
  });

  it.each([
    [1, 1],
    [5, 1],
    [1000, 1],
  ])('at %i a second asks to wait at least one whole second', (requestsPerSecond, seconds) => {
    const { answerTo } = createLimit(requestsPerSecond, 1);
    answerTo('192.0.2.1');
    expect(answerTo('192.0.2.1')).toBe(seconds);
  });

  it('accepts a caller who waits for the announced time', () => {
    const { answerTo, passedOf, wait } = createLimit(3, 2);
    passedOf(100, '192.0.2.1');
    const seconds = answerTo('192.0.2.1');
    if (seconds === 'passed') throw new Error('It was not limited.');
    wait(seconds * 1000);
    expect(answerTo('192.0.2.1')).toBe('passed');
  });

  it('fills up at its rate, and never above the burst', () => {
    const { passedOf, wait } = createLimit(10, 20);
    passedOf(20, '192.0.2.1');
    wait(500);
    expect(passedOf(50, '192.0.2.1')).toBe(5);
    wait(3_600_000);
    expect(passedOf(50, '192.0.2.1')).toBe(20);
  });

  it('is not emptied further by what it refuses', () => {
    const { passedOf, wait } = createLimit(10, 20);
    passedOf(10_000, '192.0.2.1');
    wait(100);
    expect(passedOf(10, '192.0.2.1')).toBe(1);
  });

  it('over a long time lets pass the rate, however the requests are spread', () => {
    const { passedOf, wait } = createLimit(10, 20);
    let passed = 0;
    for (let step = 0; step < 1000; step += 1) {
      passed += passedOf(3, '192.0.2.1');
      wait(37);
    }
    expect(passed).toBeGreaterThanOrEqual(370);
    expect(passed).toBeLessThanOrEqual(390);
  });

  it('counts each network separately, and one IPv6 network as one', () => {
    const { passedOf } = createLimit(1, 5);
    expect(passedOf(9, '192.0.2.1')).toBe(5);
    expect(passedOf(9, '192.0.2.2')).toBe(5);
    expect(passedOf(9, '2001:db8:1:2::1') + passedOf(9, '2001:db8:1:2::2')).toBe(5);
    expect(passedOf(9, '2001:db8:1:3::1')).toBe(5);
    expect(passedOf(9, '::ffff:192.0.2.1')).toBe(0);
  });
});

describe('the limit of a known device', () => {
  function createWorld() {
    const check = createLimitCheck<{ ip: string; owner?: string }>({
      requestsPerSecond: 1,
      burst: 5,
      now: () => 1000,
      findOwner: ({ owner }) => owner,
      ofOwner: { requestsPerSecond: 1, burst: 3 },
    });
    return (count: number, owner?: string) =>
      Array.from({ length: count }, () => {
        try {
          check({ ip: '192.0.2.1', ...(owner === undefined ? {} : { owner }) });
          return true;
        } catch {
          return false;
        }
      }).filter(Boolean).length;
  }

  it('is not spent by others of its network', () => {
    const passed = createWorld();
    expect([passed(9), passed(9, 'mei'), passed(9, 'ada'), passed(9)]).toEqual([5, 3, 3, 0]);
  });

  it('comes before that of its network, which it then shares', () => {
    const passed = createWorld();
    expect([passed(6, 'mei'), passed(9)]).toEqual([6, 2]);
  });
});
