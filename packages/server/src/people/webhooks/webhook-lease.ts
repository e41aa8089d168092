// A webhook is held by a lease of the database's clock, which is renewed while its events are delivered. No attempt begins that
// could outlast the lease, or that the previous secret would sign after its end.

import type { Store } from '../../cluster/store/store.ts';
import { postMilliseconds } from './send-event.ts';
import {
  type ClaimedWebhook,
  claimWebhook,
  leaseMilliseconds,
  releaseWebhook,
  renewWebhookLease,
} from './webhook-lease-store.ts';

export interface WebhookLease {
  readonly webhook: ClaimedWebhook;
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
export async function createWebhookLease(
  { store, instance, monotonic }: HoldOptions,
  id: number,
): Promise<WebhookLease | undefined> {
  // Before the statement, so that both ends lie before those of the database.
  const heldFrom = monotonic();
  const webhook = await claimWebhook(store, id, instance);
  if (webhook === undefined) return undefined;
  let until = heldFrom + leaseMilliseconds;
  const previousUntil = heldFrom + (webhook.previousMilliseconds ?? Number.POSITIVE_INFINITY);
  let isHeld = true;
  let renewing: Promise<void> | undefined;
  async function renew(held: ClaimedWebhook): Promise<void> {
    const from = monotonic();
    try {
      if (await renewWebhookLease(store, held, instance)) until = from + leaseMilliseconds;
      else isHeld = false;
    } catch {
      // The lease says how long it may go on without.
    }
  }
  const timer = setInterval(() => {
    renewing ??= renew(webhook).finally(() => {
      renewing = undefined;
    });
  }, renewMilliseconds);
  return {
    webhook,
    mayBegin: () => isHeld && monotonic() < until - leastLeft && monotonic() < previousUntil,
    async end() {
      clearInterval(timer);
      await renewing;
      await releaseWebhook(store, id, instance).catch(() => {});
    },
  };
}
