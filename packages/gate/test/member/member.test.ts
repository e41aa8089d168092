import { describe, expect, it } from 'vitest';
import { createFollower } from '../../src/access/follower.ts';
import { createLease } from '../../src/member/lease.ts';
import { ClockWrong, checkClock, createMember, type MemberTransport } from '../../src/member/member.ts';

const leaseMilliseconds = 10_000;
/** 2 % less: two clocks never run alike. */
const usableMilliseconds = 9800;

/** One member of a database that stands still, whose clock is the test's. */
function createWorld(whileAsked: (world: { now: number }) => void, isGuardLive = false) {
  const world = { now: 1_000_000, hasRow: () => isRegistered };
  let isRegistered = false;
  const newest = { n: 0, mark: 'mark' };
  const transport: MemberTransport = {
    async register() {
      isRegistered = true;
    },
    async report() {
      whileAsked(world);
      if (!isRegistered) return undefined;
      return {
        ...newest,
        at: world.now,
        incarnation: 'one',
        membershipComplete: true,
        leaseMilliseconds,
        instances: 1,
      };
    },
    async markMembershipComplete() {},
    async latch() {},
    async deregister() {
      isRegistered = false;
    },
    onNotification() {},
  };
  const lease = createLease(leaseMilliseconds, () => ({ monotonic: world.now, wall: world.now }));
  const follower = createFollower(
    { listRevisionsFrom: async () => [], readAll: async () => newest },
    [],
    () => {},
  );
  const member = createMember({
    transport,
    follower,
    lease,
    renewMilliseconds: 600_000,
    random: () => 0,
    onFailure: () => {},
    downstream: {
      commit: (own) => own,
      least: (own) => own,
      countServices: () => ({}),
      onRise() {},
      isAnyLive: () => isGuardLive,
    },
  });
  return Object.assign(world, { member, lease });
}

describe('a lease', () => {
  it('ends by when the report was sent, however late its answer came', async () => {
    const world = createWorld((world) => {
      world.now += 9000;
    });
    await world.member.join();
    const answeredAt = world.now;
    expect(world.lease.remainingMilliseconds()).toBe(usableMilliseconds - 9000);
    world.now = answeredAt + usableMilliseconds - 9000 - 1;
    expect(world.lease.isLive()).toBe(true);
    world.now += 1;
    expect(world.lease.isLive()).toBe(false);
    await world.member.leave();
  });

  it('is over before it began where the answer took longer than it', async () => {
    const world = createWorld((world) => {
      world.now += leaseMilliseconds;
    });
    await world.member.join();
    expect(world.lease.isLive()).toBe(false);
    await world.member.leave();
  });
});

it.each([
  ['keeps its row while a guard can hold a live lease', true],
  ['removes its row without such a guard', false],
])('a member that leaves %s', async (_what, isGuardLive) => {
  const { member, hasRow } = createWorld(() => {}, isGuardLive);
  await member.join();
  expect(hasRow()).toBe(true);
  await member.leave();
  expect(hasRow()).toBe(isGuardLive);
});

it('a member that leaves right after a report does not wait for the next one', async () => {
  const { member } = createWorld(() => {});
  await member.join();
  // The next report is due after 480 s.
  const waited = new Promise((resolve) => setTimeout(resolve, 120_000, 'waited').unref());
  expect(await Promise.race([member.leave().then(() => 'left'), waited])).toBe('left');
});

it('a clock is wrong that is more than two seconds off, by whichever reading shows less of it', () => {
  const check = (sent: number, received: number) => () =>
    checkClock(100_000, { monotonic: 0, wall: 100_000 + sent }, { monotonic: 0, wall: 100_000 + received });
  expect(check(2001, 2001)).toThrow(ClockWrong);
  expect(check(-2001, -2001)).toThrow(ClockWrong);
  for (const [sent, received] of [
    [2000, 2000],
    [-2000, -2000],
    [-9000, -2000],
    [2000, 9000],
  ] as const)
    expect(check(sent, received)).not.toThrow();
});
