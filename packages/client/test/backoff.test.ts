import { ClientError } from '@portcullis/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createBackoff } from '../src/machine/backoff.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const error = new ClientError('unavailable');

/** How many milliseconds the wait takes, by the clock of the test. */
async function waited(waiting: Promise<void>): Promise<number> {
  const from = performance.now();
  let isOver = false;
  const over = waiting.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  while (!isOver) await vi.advanceTimersByTimeAsync(10);
  await over;
  return performance.now() - from;
}

it('waits as long as the service asks for', async () => {
  const asked = new ClientError('rate_limited', { retryAfterSeconds: 7 });
  expect(await waited(createBackoff(30).wait(asked))).toBeGreaterThanOrEqual(7000);
});

it('waits longer from one attempt to the next, and three seconds at most', async () => {
  const backoff = createBackoff(1000);
  const waits = [];
  for (let n = 0; n < 10; n += 1) waits.push(await waited(backoff.wait(error)));
  expect(waits[0]).toBeLessThanOrEqual(110);
  expect(waits[9]).toBeGreaterThanOrEqual(1500);
  expect(Math.max(...waits)).toBeLessThanOrEqual(3010);
});

it('throws the error where the time is over, without a wait', async () => {
  const backoff = createBackoff(1);
  await expect(backoff.wait(new ClientError('rate_limited', { retryAfterSeconds: 2 }))).rejects.toThrow(
    'rate_limited',
  );
  expect(vi.getTimerCount()).toBe(0);
});

it('throws the error at once where the signal aborts, before or during the wait', async () => {
  const stop = new AbortController();
  const waiting = createBackoff(30, stop.signal).wait(error);
  expect(vi.getTimerCount()).toBe(1);
  stop.abort();
  await expect(waiting).rejects.toBe(error);
  expect(vi.getTimerCount()).toBe(0);
  await expect(createBackoff(30, stop.signal).wait(error)).rejects.toBe(error);
});
