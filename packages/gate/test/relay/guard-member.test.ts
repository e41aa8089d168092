// A guard's side of its lease, over lines that the test holds.
import { setImmediate as turnOver } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFollower, HistoryLost } from '../../src/access/follower.ts';
import { createLease } from '../../src/member/lease.ts';
import { ClockWrong } from '../../src/member/member.ts';
import { type ConnectionEvents, createGuardMember } from '../../src/relay/guard-member.ts';
import type { FromGuard, FromRelay } from '../../src/relay/guard-protocol.ts';
import { createPushedSource } from '../../src/relay/pushed-source.ts';

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
    }),
);
afterEach(() => void vi.useRealTimers());

interface Line {
  readonly sent: FromGuard[];
  isClosed: boolean;
  hear(message: FromRelay): void;
  cut(): void;
  /** The last question. */
  asked(): Extract<FromGuard, { kind: 'renew' }>;
  grant(milliseconds?: number): void;
}

function createWorld() {
  const lines: Line[] = [];
  const failures: unknown[] = [];
  const newest = { n: 5, mark: 'm5' };
  let loads = 0;
  const source = createPushedSource(async () => {
    loads += 1;
    return { ...newest };
  });
  const lease = createLease(10_000, () => ({ monotonic: performance.now(), wall: Date.now() }));
  const follower = createFollower(source, [], () => {});
  function createLine({
    onMessage,
    onClosed,
  }: ConnectionEvents): Line & { send(message: FromGuard): void; close(): void } {
    const sent: FromGuard[] = [];
    const line = {
      sent,
      isClosed: false,
      send: (message: FromGuard) => void sent.push(message),
      close() {
        line.isClosed = true;
      },
      hear: onMessage,
      cut: () => onClosed(new Error('cut')),
      asked: () =>
        sent.findLast((message) => message.kind === 'renew') as Extract<FromGuard, { kind: 'renew' }>,
      grant: (milliseconds = 3000) =>
        onMessage({ kind: 'granted', seq: line.asked().seq, milliseconds, at: Date.now() }),
    };
    return line;
  }
  const member = createGuardMember({
    openConnection: async (events) => {
      const line = createLine(events);
      lines.push(line);
      return line;
    },
    source,
    follower,
    lease,
    identity: { id: 'id', service: 'orders', version: '1' },
    onDatabaseTime() {},
    random: () => 0.5,
    onFailure: (cause) => void failures.push(cause),
    onLease() {},
  });
  const line = (place: number): Line => {
    const found = lines.at(place);
    if (found === undefined) throw new Error('There is no such line.');
    return found;
  };
  async function join(): Promise<Line> {
    const joined = member.join();
    await settle();
    line(0).grant();
    await joined;
    return line(0);
  }
  return { member, lease, follower, lines, line, failures, newest, join, loads: () => loads };
}

/** Everything that waits for nothing but its turn. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await turnOver();
}

async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
  await settle();
}

const revisions = (after: number, ...numbers: number[]): FromRelay => ({
  kind: 'revisions',
  after: { n: after, mark: `m${after}` },
  revisions: numbers.map((n) => ({ n, mark: `m${n}`, changes: [] })),
});

it('sends its identity, requests a lease on the loaded revision, and counts from the moment of the request', async () => {
  const { member, lease, line } = createWorld();
  const joined = member.join();
  await settle();
  expect(line(0).sent).toEqual([
    { kind: 'hello', id: 'id', service: 'orders', version: '1' },
    { kind: 'renew', seq: 1, n: 5, mark: 'm5' },
  ]);
  await pass(500);
  line(0).grant();
  await joined;
  expect(lease.remainingMilliseconds()).toBe(3000 * 0.98 - 500);
  await member.leave();
});

it('asks again every second, and at once for what it was sent', async () => {
  const { member, follower, join } = createWorld();
  const line = await join();
  await pass(1000);
  expect(line.asked()).toMatchObject({ seq: 2, n: 5 });
  line.grant();
  line.hear(revisions(5, 6, 7));
  await settle();
  expect(follower.revision.n).toBe(7);
  expect(line.asked()).toMatchObject({ seq: 3, n: 7, mark: 'm7' });
  await member.leave();
});

it('loads everything when the instance requires it, or when a revision is missing before the sent ones', async () => {
  const { member, newest, follower, loads, join } = createWorld();
  const line = await join();
  Object.assign(newest, { n: 9, mark: 'm9' });
  line.hear({ kind: 'load', n: 9, mark: 'm9' });
  await settle();
  expect([loads(), follower.revision.n, line.asked().n]).toEqual([2, 9, 9]);
  Object.assign(newest, { n: 12, mark: 'm12' });
  line.hear(revisions(11, 12));
  await settle();
  expect([loads(), follower.revision.n]).toEqual([3, 12]);
  // Of an instance that is behind another one.
  line.hear(revisions(10, 11));
  await settle();
  expect([loads(), follower.revision.n]).toEqual([3, 12]);
  await member.leave();
});

describe('has no lease', () => {
  it('for an answer to a question that it did not ask', async () => {
    const { member, lease, join } = createWorld();
    const line = await join();
    await pass(900);
    line.hear({ kind: 'granted', seq: 1, milliseconds: 3000, at: Date.now() });
    line.hear({ kind: 'granted', seq: 99, milliseconds: 3000, at: Date.now() });
    expect(lease.remainingMilliseconds()).toBeLessThanOrEqual(3000 * 0.98 - 900);
    await member.leave();
  });

  it('where the instance knows another history', async () => {
    const { member, lease, failures, join } = createWorld();
    const line = await join();
    line.hear({ kind: 'refused', seq: 1, why: 'lost' });
    expect(lease.isLive()).toBe(false);
    expect(failures.at(-1)).toBeInstanceOf(HistoryLost);
    await member.leave();
  });

  it('where what it was sent follows on another history', async () => {
    const { member, lease, failures, join } = createWorld();
    const line = await join();
    line.hear({ ...revisions(5, 6), after: { n: 5, mark: 'other' } } as FromRelay);
    await settle();
    expect(lease.isLive()).toBe(false);
    expect(failures.at(-1)).toBeInstanceOf(HistoryLost);
    await member.leave();
  });

  it('where its clock is wrong', async () => {
    const { member, lease, failures, join } = createWorld();
    const line = await join();
    await pass(1000);
    line.hear({ kind: 'granted', seq: line.asked().seq, milliseconds: 3000, at: Date.now() - 2500 });
    expect(lease.isLive()).toBe(false);
    expect(failures.at(-1)).toBeInstanceOf(ClockWrong);
    await member.leave();
  });

  it('once it has left, and gives it back', async () => {
    const { member, lease, join } = createWorld();
    const line = await join();
    await pass(1000);
    await member.leave();
    line.grant();
    expect(lease.isLive()).toBe(false);
    expect(line.sent.at(-1)).toEqual({ kind: 'release' });
    expect(line.isClosed).toBe(true);
  });
});

describe('asks another instance', () => {
  it('where the connection is cut', async () => {
    const { member, lines, join } = createWorld();
    const line = await join();
    line.cut();
    await pass(250);
    expect(lines).toHaveLength(2);
    await member.leave();
  });

  it('where this one does not answer for a second', async () => {
    const { member, lines, join } = createWorld();
    const line = await join();
    await pass(1600);
    expect(lines).toHaveLength(1);
    await pass(200);
    expect(lines).toHaveLength(2);
    expect(line.isClosed).toBe(true);
    await member.leave();
  });

  it('where this one gives no lease for a second', async () => {
    const { member, lines, join } = createWorld();
    const line = await join();
    for (let time = 0; time < 1200; time += 100) {
      if (!line.isClosed) line.hear({ kind: 'refused', seq: line.asked().seq, why: 'ahead' });
      await pass(100);
    }
    expect(lines).toHaveLength(2);
    await member.leave();
  });

  it('where this one ends: it uses the new lease alone before it gives the old one back', async () => {
    const { member, lease, line, join } = createWorld();
    const old = await join();
    old.hear({ kind: 'leaving' });
    await pass(250);
    expect(old.sent.filter(({ kind }) => kind === 'release')).toEqual([]);
    expect(lease.remainingMilliseconds()).toBeGreaterThan(2000);
    line(1).grant(500);
    expect(lease.remainingMilliseconds()).toBeLessThanOrEqual(500);
    expect(old.sent.at(-1)).toEqual({ kind: 'release' });
    old.grant();
    expect(lease.remainingMilliseconds()).toBeLessThanOrEqual(500);
    await member.leave();
  });
});

it('does not begin where it gets no lease', async () => {
  const { member, line } = createWorld();
  const joined = member.join();
  const failure = expect(joined).rejects.toThrow('does not answer');
  await settle();
  await pass(6000);
  await failure;
  expect(line(0).isClosed).toBe(true);
  await member.leave();
});
