// Where a call that takes something away waits until no instance goes by the old state: each has reported the
// revision, or has been silent for so long that its lease is over. Why that suffices is argued in docs/decisions/0006.
import { AppError } from '@portcullis/contract';
import { longestLeaseMilliseconds, paceMilliseconds, type SetTimer, setNodeTimer } from '@portcullis/gate';
import type { Notifier } from './notifier.ts';
import type { Written } from './revision-store.ts';

export interface Barrier {
  /** Resolves when the revision is in force everywhere; throws `unavailable` where that cannot be known. */
  pass(written: Written): Promise<void>;
  /** Tells the instances, and waits for none. */
  announce(revision: number): void;
}

export interface BarrierStore {
  look(): Promise<BarrierView>;
  /** Removes the instances that have not reported the revision, and marks the rows complete; in no other incarnation. */
  removeSilent(written: Written): Promise<void>;
}

export interface BarrierView {
  /** The oldest revision that any instance has reported; undefined where there is no instance. */
  readonly lowest: number | undefined;
  readonly instances: number;
  readonly incarnation: string;
  /** Whether one full lease has passed since the database restarted or failed over: rows that were lost stand for nobody. */
  readonly membershipComplete: boolean;
  /** The longest lease of any instance. */
  readonly leaseMilliseconds: number;
}

interface Waiter extends Written {
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

interface BarrierOptions {
  readonly store: BarrierStore;
  readonly notifier: Notifier;
  readonly monotonic: () => number;
  readonly setTimer?: SetTimer;
}

/** Of what it has waited, a call waits so much before it looks again, and no longer than that. */
export const shareOfWait = 0.2;
export const longestPause = 250;

export function createBarrier({
  store,
  notifier,
  monotonic,
  setTimer = setNodeTimer,
}: BarrierOptions): Barrier {
  const sleep = (milliseconds: number) =>
    new Promise<void>((resolve) => void setTimer(resolve, milliseconds));
  let waiters: Waiter[] = [];
  let isWatching = false;
  const announce = createAnnouncer(notifier, () => sleep(paceMilliseconds(instances)));
  let instances = 1;

  /** One look serves all who wait. */
  async function watch(): Promise<void> {
    isWatching = true;
    while (waiters.length > 0) {
      await sleep(pause());
      // Only those who waited before the look: it shows nothing of what is committed after it began.
      const asking = waiters;
      try {
        const view = await store.look();
        instances = view.instances;
        // One whose database restarted or failed over began to wait in another time.
        fail(asking.filter(({ incarnation }) => incarnation !== view.incarnation));
        const here = asking.filter(({ incarnation }) => incarnation === view.incarnation);
        const passed = await letPass(here, view);
        waiters = waiters.filter((waiter) => !passed.has(waiter));
        for (const { resolve } of passed) resolve();
      } catch (cause) {
        fail(asking, cause);
      }
    }
    isWatching = false;
  }

  /** The longer they have waited, the less does a look more or less matter to them. */
  function pause(): number {
    const waited = Math.min(...waiters.map(({ since }) => monotonic() - since));
    return Math.max(paceMilliseconds(instances), Math.min(waited * shareOfWait, longestPause));
  }

  function fail(failed: readonly Waiter[], cause?: unknown): void {
    waiters = waiters.filter((waiter) => !failed.includes(waiter));
    for (const { reject } of failed)
      reject(
        new AppError('unavailable', { cause: cause ?? new Error('The database restarted or failed over.') }),
      );
  }

  async function letPass(asking: readonly Waiter[], view: BarrierView): Promise<Set<Waiter>> {
    const lowest = view.membershipComplete ? (view.lowest ?? Number.POSITIVE_INFINITY) : -1;
    // A failover can lose how long the leases are, too.
    const lease = view.membershipComplete ? view.leaseMilliseconds : longestLeaseMilliseconds;
    const patient = asking.filter(({ since }) => monotonic() - since > lease);
    const overdue = Math.max(-1, ...patient.map(({ n }) => n));
    if (overdue > lowest) await store.removeSilent({ n: overdue, incarnation: view.incarnation });
    return new Set(asking.filter(({ n }) => n <= Math.max(lowest, overdue)));
  }

  return {
    announce,
    pass({ n, incarnation }) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiters = [...waiters, { n, incarnation, since: monotonic(), resolve, reject }];
      announce(n);
      if (!isWatching) void watch();
      return promise;
    },
  };
}

/** Rings for the newest revision, at most once a pace. A ring that fails is made up for by the next report. */
function createAnnouncer(notifier: Notifier, pause: () => Promise<void>) {
  let newest = -1;
  let isRinging = false;
  async function ringOn(): Promise<void> {
    isRinging = true;
    for (let rung = -1; rung < newest; ) {
      rung = newest;
      await notifier.ring(rung).catch(() => {});
      await pause();
    }
    isRinging = false;
  }
  return (revision: number) => {
    newest = Math.max(newest, revision);
    if (!isRinging) void ringOn();
  };
}
