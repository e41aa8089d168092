// Where a call that takes something away waits until no instance goes by the old state: each has reported the
// revision, or has been silent for so long that its lease is over. Why that suffices is argued in docs/decisions/0006.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@portcullis/contract';
import { type Doorbell, paceMilliseconds } from './doorbell.ts';

export interface Barrier {
  /** Resolves when the revision is in force everywhere; throws `unavailable` where that cannot be known. */
  pass(revision: number): Promise<void>;
  /** Tells the instances, and waits for none. */
  announce(revision: number): void;
}

export interface BarrierStore {
  look(): Promise<BarrierView>;
  /** Removes the instances that have not reported the revision, and settles the database's incarnation. */
  removeSilent(revision: number): Promise<void>;
}

export interface BarrierView {
  /** The oldest revision that any instance has reported; undefined where there is no instance. */
  readonly lowest: number | undefined;
  readonly instances: number;
  /** Whether one full lease has passed since the database restarted or failed over. */
  readonly isSettled: boolean;
  /** The longest lease of any instance. */
  readonly leaseMilliseconds: number;
}

interface Waiter {
  readonly revision: number;
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

interface BarrierOptions {
  readonly store: BarrierStore;
  readonly doorbell: Doorbell;
  readonly monotonic: () => number;
}

export function createBarrier({ store, doorbell, monotonic }: BarrierOptions): Barrier {
  let waiters: Waiter[] = [];
  let isWatching = false;
  const announce = createAnnouncer(doorbell, () => instances);
  let instances = 1;

  /** One look serves all who wait. */
  async function watch(): Promise<void> {
    isWatching = true;
    while (waiters.length > 0) {
      // Only those who waited before the look: it shows nothing of what is committed after it began.
      const asking = waiters;
      try {
        const view = await store.look();
        instances = view.instances;
        const passed = await letPass(asking, view);
        waiters = waiters.filter((waiter) => !passed.has(waiter));
        for (const { resolve } of passed) resolve();
      } catch (cause) {
        waiters = waiters.filter((waiter) => !asking.includes(waiter));
        for (const { reject } of asking) reject(new AppError('unavailable', { cause }));
      }
      if (waiters.length > 0) await sleep(paceMilliseconds(instances));
    }
    isWatching = false;
  }

  async function letPass(asking: readonly Waiter[], view: BarrierView): Promise<Set<Waiter>> {
    const lowest = view.isSettled ? (view.lowest ?? Number.POSITIVE_INFINITY) : -1;
    const patient = asking.filter(({ since }) => monotonic() - since > view.leaseMilliseconds);
    const overdue = Math.max(-1, ...patient.map(({ revision }) => revision));
    if (overdue > lowest) await store.removeSilent(overdue);
    return new Set(asking.filter(({ revision }) => revision <= Math.max(lowest, overdue)));
  }

  return {
    announce,
    pass(revision) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiters = [...waiters, { revision, since: monotonic(), resolve, reject }];
      announce(revision);
      if (!isWatching) void watch();
      return promise;
    },
  };
}

/** Rings for the newest revision, at most once a pace. A ring that fails is made up for by the next report. */
function createAnnouncer(doorbell: Doorbell, instances: () => number) {
  let newest = -1;
  let isRinging = false;
  async function ringOn(): Promise<void> {
    isRinging = true;
    for (let rung = -1; rung < newest; ) {
      rung = newest;
      await doorbell.ring(rung).catch(() => {});
      await sleep(paceMilliseconds(instances()));
    }
    isRinging = false;
  }
  return (revision: number) => {
    newest = Math.max(newest, revision);
    if (!isRinging) void ringOn();
  };
}
