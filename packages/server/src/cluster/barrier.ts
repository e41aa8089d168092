// Revocation barrier: a call that takes access away waits here until no instance uses the old state. Each instance has reported the
// revision, or has been silent for so long that its lease has expired. docs/decisions/0006 argues why that suffices.
import { AppError } from '@portcullis/contract';
import {
  longestLeaseMilliseconds,
  pollIntervalMilliseconds,
  type SetTimer,
  setNodeTimer,
} from '@portcullis/gate';
import type { Notifier } from './notifier.ts';
import type { Written } from './revision-store.ts';

export interface Barrier {
  /** Resolves when the revision is in force everywhere; throws `unavailable` when that cannot be known. */
  pass(written: Written): Promise<void>;
  /** Notifies the instances without waiting for them. */
  announce(revision: number): void;
}

export interface BarrierStore {
  readView(): Promise<BarrierView>;
  /**
   * Removes the instances that have not reported the revision, and marks the membership complete; does nothing in another
   * incarnation.
   */
  removeSilent(written: Written): Promise<void>;
}

export interface BarrierView {
  /** The oldest revision that any instance has reported; undefined without instances. */
  readonly lowest: number | undefined;
  readonly instances: number;
  readonly incarnation: string;
  /**
   * Whether one full lease has passed since the database restarted or failed over: no instance whose row was lost holds a lease
   * then.
   */
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

/** The next poll waits for this share of the time that a call has waited so far, and at most for `longestPause`. */
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
  const announce = createAnnouncer(notifier, () => sleep(pollIntervalMilliseconds(instances)));
  let instances = 1;

  /** One poll serves all waiting calls. */
  async function watch(): Promise<void> {
    isWatching = true;
    while (waiters.length > 0) {
      await sleep(pause());
      // Only calls that waited before the poll: it does not show what is committed after it began.
      const asking = waiters;
      try {
        const view = await store.readView();
        instances = view.instances;
        // The database restarted or failed over after these calls began to wait.
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

  /** Poll interval with backoff: after a long wait, the delay of one poll matters less. */
  function pause(): number {
    const waited = Math.min(...waiters.map(({ since }) => monotonic() - since));
    return Math.max(pollIntervalMilliseconds(instances), Math.min(waited * shareOfWait, longestPause));
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
    // A failover can lose the length of the leases, too.
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

/** Notifies the instances of the newest revision, at most once per pause. The next report makes up for a failed notification. */
function createAnnouncer(notifier: Notifier, pause: () => Promise<void>) {
  let newest = -1;
  let isNotifying = false;
  async function notifyUntilCurrent(): Promise<void> {
    isNotifying = true;
    for (let notified = -1; notified < newest; ) {
      notified = newest;
      await notifier.notify(notified).catch(() => {});
      await pause();
    }
    isNotifying = false;
  }
  return (revision: number) => {
    newest = Math.max(newest, revision);
    if (!isNotifying) void notifyUntilCurrent();
  };
}
