// Delivers webhook events: a background job polls for webhooks that have something to deliver, and delivers those whose lease no
// other instance holds.
import type { SealedSecrets } from '../../base/secrets/sealed-secrets.ts';
import type { Store } from '../../cluster/store/store.ts';
import { type BatchOptions, deliverBatch } from './deliver.ts';
import { LeaseLost, storeProgress } from './delivery-progress-store.ts';
import { listDueDeliveries, listHeldObjects, readBacklog } from './delivery-store.ts';
import { readEvents, readLogRange } from './event-store.ts';
import type { SendEvent } from './send-event.ts';
import { createWebhookLease, type WebhookLease } from './webhook-lease.ts';
import { type ClaimedWebhook, listDueWebhooks } from './webhook-lease-store.ts';
import { deleteEndedWebhooks } from './webhook-store.ts';

export interface WebhookFigures {
  delivered: number;
  failed: number;
  gone: number;
  dead: number;
  lagSeconds: number;
}

export interface DeliveryWorker {
  /** The webhooks that this process has delivered; `dead` and `lagSeconds` are the last values that it read. */
  status(): ReadonlyMap<number, Readonly<WebhookFigures>>;
  /** Starts the deliveries that are due, and does not wait for their end. */
  poll(): Promise<void>;
  /** Starts no further attempt, and waits for those under way. */
  close(): Promise<void>;
}

interface DelivererOptions {
  /** Not the store that requests use, so that no login waits for a delivery. */
  readonly store: Store;
  readonly instance: string;
  readonly secrets: SealedSecrets;
  readonly post: SendEvent;
  readonly attempts: number;
  /** Whether the login log is on, so that there are login events. */
  readonly withLogins: boolean;
  readonly onFailure: (cause: unknown, what: string) => void;
  readonly now: () => number;
  readonly monotonic: () => number;
}

export function createDeliveryWorker(options: DelivererOptions): DeliveryWorker {
  const { store, instance, onFailure } = options;
  let isClosing = false;
  const figures = new Map<number, WebhookFigures>();
  const working = new Map<number, Promise<void>>();

  /** A failed deletion of ended webhooks must not stop the deliveries, so it rejects only after these are started. */
  async function poll(): Promise<void> {
    const [deletion] = await Promise.allSettled([deleteEndedWebhooks(store)]);
    for (const id of await listDueWebhooks(store, instance, options.withLogins))
      if (!working.has(id) && !isClosing)
        working.set(
          id,
          work(id)
            .catch((cause: unknown) => onFailure(cause, `webhook ${id} could not be delivered`))
            .finally(() => working.delete(id)),
        );
    if (deletion.status === 'rejected') throw deletion.reason;
  }

  async function work(id: number): Promise<void> {
    const lease = await createWebhookLease(options, id);
    if (lease === undefined) return;
    const counts = figures.get(id) ?? { delivered: 0, failed: 0, gone: 0, dead: 0, lagSeconds: 0 };
    figures.set(id, counts);
    try {
      await deliver(lease, counts);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    } finally {
      await lease.end();
    }
  }

  async function deliver({ webhook, mayBegin }: WebhookLease, counts: WebhookFigures): Promise<void> {
    const { id } = webhook;
    const secrets = openSecrets(options.secrets, webhook);
    const holder = { id, instance, attempts: options.attempts };
    const { withLogins, post, now } = options;
    let state = { auditSeq: webhook.auditSeq, failuresInRow: webhook.failuresInRow };
    const batch: Omit<BatchOptions, 'webhook'> = {
      secrets,
      post,
      now,
      mayBegin: () => mayBegin() && !isClosing,
      listDueDeliveries: (most) => listDueDeliveries(store, id, most),
      readEvents: (audit, logins) => readEvents(store, audit, logins),
      readRange: async (auditSeq, limit) => {
        const logRange = await readLogRange(store, { id, auditSeq }, { limit, withLogins });
        counts.lagSeconds = Math.max(0, ...logRange.events.map(({ at }) => (now() - at.getTime()) / 1000));
        return logRange;
      },
      listHeldObjects: (events) => listHeldObjects(store, id, events),
      storeProgress: (progress) => storeProgress(store, holder, progress),
    };
    while (batch.mayBegin()) {
      const done = await deliverBatch({ ...batch, webhook: { ...webhook, ...state } });
      counts.delivered += done.delivered;
      counts.failed += done.failed;
      counts.gone += done.gone;
      state = done;
      if (!done.isMore || done.isResting) break;
    }
    const { dead, oldestAt } = await readBacklog(store, id);
    counts.dead = dead;
    counts.lagSeconds = oldestAt === null ? 0 : Math.max(0, (now() - oldestAt.getTime()) / 1000);
  }

  return {
    status: () => figures,
    poll,
    async close() {
      isClosing = true;
      await Promise.all(working.values());
    },
  };
}

/** Throws if the secret cannot be decrypted, because no event is sent without a signature. */
function openSecrets(secrets: SealedSecrets, webhook: ClaimedWebhook): readonly Buffer[] {
  const secret = secrets.open(webhook.id, webhook.sealedSecret);
  if (secret === undefined)
    throw new Error(
      `The secret of webhook ${webhook.id} does not open. Set the master key that sealed it as \`auth.previousMasterKey\`, or make a new secret.`,
    );
  const previous =
    webhook.previousMilliseconds !== null && webhook.sealedPrevious !== null
      ? secrets.open(webhook.id, webhook.sealedPrevious)
      : undefined;
  return previous === undefined ? [secret] : [secret, previous];
}
