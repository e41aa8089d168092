import { beforeEach, describe, expect, it } from 'vitest';
import { type Barrier, type BarrierView, createBarrier } from '../../src/cluster/barrier.ts';

const leaseMilliseconds = 10_000;
let now = 0;
let view: BarrierView | Error;
let looks = 0;
let onLook: () => void;
let removed: number[] = [];
let notified: number[] = [];
beforeEach(() => {
  now = 0;
  view = viewOf(0);
  looks = 0;
  onLook = () => {};
  removed = [];
  notified = [];
});

function viewOf(lowest: number | undefined, membershipComplete = true): BarrierView {
  return { lowest, instances: 1, incarnation: 'one', membershipComplete, leaseMilliseconds };
}

const create = (): Omit<Barrier, 'pass'> & { pass(n: number): Promise<void> } => {
  const barrier = createBarrier({
    store: {
      async readView() {
        looks += 1;
        const shown = view;
        onLook();
        if (shown instanceof Error) throw shown;
        return shown;
      },
      removeSilent: async ({ n, incarnation }) => void removed.push(incarnation === 'one' ? n : -1),
    },
    notifier: { notify: async (revision) => void notified.push(revision) },
    monotonic: () => now,
  });
  return { ...barrier, pass: (n) => barrier.pass({ n, incarnation: 'one' }) };
};

/** Whether the promise is still open after some further looks. */
async function isWaiting(promise: Promise<void>): Promise<boolean> {
  let isOpen = true;
  promise
    .finally(() => {
      isOpen = false;
    })
    .catch(() => {});
  const target = looks + 3;
  await expect.poll(() => looks >= target || !isOpen, { interval: 1 }).toBe(true);
  return isOpen;
}

describe('a call waits', () => {
  it('while an instance has not reported its revision', async () => {
    const passing = create().pass(1);
    expect(await isWaiting(passing)).toBe(true);
    view = viewOf(1);
    await passing;
    expect(removed).toEqual([]);
  });

  it('after a failover, though all rows that are left have reported', async () => {
    view = viewOf(1, false);
    const passing = create().pass(1);
    expect(await isWaiting(passing)).toBe(true);
    view = viewOf(1, true);
    await passing;
  });

  it('after a failover for the longest lease, because it can lose how long the leases are', async () => {
    view = { ...viewOf(1, false), leaseMilliseconds: 2000 };
    const passing = create().pass(1);
    now = leaseMilliseconds;
    expect(await isWaiting(passing)).toBe(true);
    now = leaseMilliseconds + 1;
    await passing;
    expect(removed).toEqual([1]);
  });

  it('for one full lease, no less, and then removes the silent instances', async () => {
    const passing = create().pass(1);
    now = leaseMilliseconds;
    expect(await isWaiting(passing)).toBe(true);
    expect(removed).toEqual([]);
    now = leaseMilliseconds + 1;
    await passing;
    expect(removed).toEqual([1]);
  });

  it('for the lease from its own beginning, not from that of one before it', async () => {
    const barrier = create();
    const first = barrier.pass(1);
    now = 6000;
    const second = barrier.pass(2);
    now = leaseMilliseconds + 1;
    await first;
    expect(await isWaiting(second)).toBe(true);
    now = 6000 + leaseMilliseconds + 1;
    await second;
    expect(removed).toEqual([1, 2]);
  });
});

describe('a call passes', () => {
  it('when every instance has reported its revision or a later one', async () => {
    view = viewOf(5);
    await create().pass(5);
    await create().pass(4);
  });

  it('when there is no instance', async () => {
    view = viewOf(undefined);
    await create().pass(5);
  });

  it('not by a look that began before it', async () => {
    const barrier = create();
    view = viewOf(1);
    let second: Promise<void> | undefined;
    onLook = () => {
      // While the first look is on its way, another call commits; what that look shows is older.
      onLook = () => {};
      second = barrier.pass(1);
      view = viewOf(0);
    };
    await barrier.pass(1);
    expect(second).toBeDefined();
    expect(await isWaiting(second ?? Promise.resolve())).toBe(true);
    view = viewOf(1);
    await second;
  });
});

it('a call fails when the database is lost while it waits, and the next one is served', async () => {
  const barrier = create();
  view = new Error('away');
  await expect(barrier.pass(1)).rejects.toMatchObject({ kind: 'unavailable' });
  view = viewOf(1);
  await barrier.pass(1);
});

it('a call fails when the database restarted or failed over while it waits, however long it has waited', async () => {
  const barrier = create();
  const passing = barrier.pass(1);
  expect(await isWaiting(passing)).toBe(true);
  now = leaseMilliseconds + 1;
  view = { ...viewOf(1), incarnation: 'two' };
  await expect(passing).rejects.toMatchObject({ kind: 'unavailable' });
  expect(removed).toEqual([]);
});

it('notifies of the newest revision, and not of each in a burst', async () => {
  const barrier = create();
  view = viewOf(100);
  barrier.announce(1);
  await Promise.all(Array.from({ length: 50 }, (_, index) => barrier.pass(index + 2)));
  await expect.poll(() => notified.at(-1)).toBe(51);
  expect(notified.length).toBeLessThan(10);
});
