// A webhook is held by a lease of the database's clock, which is renewed while its events are delivered. No attempt begins that
// could outlast the lease, or that the previous secret would sign after its end.

import type { Store } from '../../cluster/store/store.ts';
import { postMilliseconds } from './send-event.ts';
import { type HeldHook, holdHook, leaseMilliseconds, releaseHook, renewHold } from './webhook-store.ts';

export interface Hold {
  readonly hook: HeldHook;
  /** Whether an attempt may begin now. */
  readonly mayBegin: () => boolean;
  end(): Promise<void>;
}

interface HoldOptions {
  readonly store: Store;
  readonly instance: string;
  readonly monotonic: () => number;
}

const renewMilliseconds = 1000;
/** What is left of a lease when an attempt begins. */
const leastLeft = postMilliseconds + 1000;

/** Undefined where another instance holds it. */
export async function createHold(
  { store, instance, monotonic }: HoldOptions,
  id: number,
): Promise<Hold | undefined> {
  // Before the statement, so that both ends lie before those of the database.
  const heldFrom = monotonic();
  const hook = await holdHook(store, id, instance);
  if (hook === undefined) return undefined;
  let until = heldFrom + leaseMilliseconds;
  const previousUntil = heldFrom + (hook.previousMilliseconds ?? Number.POSITIVE_INFINITY);
  let isHeld = true;
  let renewing: Promise<void> | undefined;
  async function renew(held: HeldHook): Promise<void> {
    const from = monotonic();
    try {
      if (await renewHold(store, held, instance)) until = from + leaseMilliseconds;
      else isHeld = false;
    } catch {
      // The lease says how long it may go on without.
    }
  }
  const timer = setInterval(() => {
    renewing ??= renew(hook).finally(() => {
      renewing = undefined;
    });
  }, renewMilliseconds);
  return {
    hook,
    mayBegin: () => isHeld && monotonic() < until - leastLeft && monotonic() < previousUntil,
    async end() {
      clearInterval(timer);
      await renewing;
      await releaseHook(store, id, instance).catch(() => {});
    },
  };
}
