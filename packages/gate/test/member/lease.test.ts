import { beforeEach, expect, it } from 'vitest';
import { createLease, type Lease } from '../../src/member/lease.ts';

const milliseconds = 10_000;
let clocks = { monotonic: 0, wall: 0 };
let lease: Lease;
beforeEach(() => {
  clocks = { monotonic: 5_000_000, wall: 1_800_000_000_000 };
  lease = createLease(milliseconds, () => ({ ...clocks }));
});

/** Both clocks go on, or each by its own. */
function pass(monotonic: number, wall = monotonic): void {
  clocks.monotonic += monotonic;
  clocks.wall += wall;
}

it('is not live before it was ever extended', () => {
  expect(lease.isLive()).toBe(false);
});

it('ends 2 % before the time that other processes wait for it, because two clocks never run alike', () => {
  lease.extend(lease.now());
  pass(9799);
  expect(lease.isLive()).toBe(true);
  pass(1);
  expect(lease.isLive()).toBe(false);
});

it('counts from when the question was sent, however late the answer came', () => {
  const sentAt = lease.now();
  pass(9000);
  lease.extend(sentAt);
  expect(lease.isLive()).toBe(true);
  pass(800);
  expect(lease.isLive()).toBe(false);
});

it('is not shortened by a question that was sent before', () => {
  const sentBefore = lease.now();
  pass(1000);
  lease.extend(lease.now());
  lease.extend(sentBefore);
  expect(lease.remainingMilliseconds()).toBe(9800);
});

it('ends in a suspended machine, whose monotonic clock stops', () => {
  lease.extend(lease.now());
  pass(1, 10_000);
  expect(lease.isLive()).toBe(false);
});

it('ends by the monotonic clock when the wall clock stops or goes back a little', () => {
  lease.extend(lease.now());
  pass(1500, 0);
  expect(lease.isLive()).toBe(true);
  pass(8300, 8300);
  expect(lease.isLive()).toBe(false);
});

it('ends at once when the wall clock is set back by more than two seconds', () => {
  lease.extend(lease.now());
  pass(100, -1800);
  expect(lease.isLive()).toBe(true);
  pass(0, -200);
  expect(lease.isLive()).toBe(false);
});

it('is over when it is dropped, and live again when it is extended', () => {
  lease.extend(lease.now());
  lease.drop();
  expect(lease.isLive()).toBe(false);
  lease.extend(lease.now());
  expect(lease.isLive()).toBe(true);
});

it('has 0 ms left when it is not live, and otherwise the rest by the clock with more elapsed time', () => {
  expect(lease.remainingMilliseconds()).toBe(0);
  lease.extend(lease.now());
  pass(1000, 1500);
  expect(lease.remainingMilliseconds()).toBe(8300);
  pass(9000);
  expect(lease.remainingMilliseconds()).toBe(0);
  lease.drop();
  expect(lease.remainingMilliseconds()).toBe(0);
});
