// Lease of a webhook: lets one instance at a time deliver its events. The lease uses the database's clock, and is renewed during
// the delivery. No attempt begins that could outlast the lease, or that the previous secret would sign after its end.

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
  /** Whether an attempt can begin now. */
  readonly mayBegin: () => boolean;
  end(): Promise<void>;
}

interface LeaseOptions {
  readonly store: Store;
  readonly instance: string;
  readonly monotonic: () => number;
}

const renewMilliseconds = 1000;
/** This much of the lease must be left when an attempt begins. */
const leastLeft = postMilliseconds + 1000;

/** Undefined if another instance holds the lease, or the webhook is disabled or ended. */
export async function createWebhookLease(
  { store, instance, monotonic }: LeaseOptions,
  id: number,
): Promise<WebhookLease | undefined> {
  // Read before the statement, so that both deadlines are earlier than those in the database.
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
      // Until the lease ends, delivery continues without a renewal.
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
