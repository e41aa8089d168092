// Delivers events: looks for webhooks with events that are due, and delivers those that no other instance holds.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../cluster/store/store.ts';
import { type BatchOptions, deliverBatch } from './deliver.ts';
import { LeaseLost, storeProgress } from './delivery-progress-store.ts';
import { listDueDeliveries, listHeldObjects, readBacklog } from './delivery-store.ts';
import { readEvents, readLogRange } from './event-store.ts';
import type { SendEvent } from './send-event.ts';
import { createWebhookLease, type WebhookLease } from './webhook-lease.ts';
import { type ClaimedWebhook, listDueWebhooks } from './webhook-lease-store.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';
import { deleteEndedWebhooks } from './webhook-store.ts';

export interface WebhookFigures {
  delivered: number;
  failed: number;
  gone: number;
  dead: number;
  lagSeconds: number;
}

export interface DeliveryWorker {
  /** Of the hooks that this process has delivered; `dead` and `lagSeconds` as it saw them last. */
  status(): ReadonlyMap<number, Readonly<WebhookFigures>>;
  close(): Promise<void>;
}

interface DelivererOptions {
  /** Not the one that requests use: nobody who logs in waits for this. */
  readonly store: Store;
  readonly instance: string;
  readonly secrets: WebhookSecrets;
  readonly post: SendEvent;
  readonly attempts: number;
  /** Whether there is a login log to tell from. */
  readonly withLogins: boolean;
  readonly onFailure: (cause: unknown, what: string) => void;
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly lookMilliseconds?: number;
}

export function startDeliveryWorker(options: DelivererOptions): DeliveryWorker {
  const { store, instance, onFailure, lookMilliseconds = 1000 } = options;
  const stopping = new AbortController();
  const figures = new Map<number, WebhookFigures>();
  const working = new Map<number, Promise<void>>();
  let isFailing = false;

  /** Those that ended must not stop the others: where they cannot be deleted, the look fails when it is done. */
  async function look(): Promise<void> {
    const [deletion] = await Promise.allSettled([deleteEndedWebhooks(store)]);
    for (const id of await listDueWebhooks(store, instance, options.withLogins))
      if (!working.has(id) && !stopping.signal.aborted)
        working.set(
          id,
          work(id)
            .catch((cause: unknown) => onFailure(cause, `webhook ${id} could not be delivered`))
            .finally(() => working.delete(id)),
        );
    if (deletion.status === 'rejected') throw deletion.reason;
  }

  async function work(id: number): Promise<void> {
    const hold = await createWebhookLease(options, id);
    if (hold === undefined) return;
    const of = figures.get(id) ?? { delivered: 0, failed: 0, gone: 0, dead: 0, lagSeconds: 0 };
    figures.set(id, of);
    try {
      await deliver(hold, of);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    } finally {
      await hold.end();
    }
  }

  async function deliver({ webhook, mayBegin }: WebhookLease, of: WebhookFigures): Promise<void> {
    const { id } = webhook;
    const secrets = openSecrets(options.secrets, webhook);
    const holder = { id, instance, attempts: options.attempts };
    const { withLogins, post, now } = options;
    let state = { auditSeq: webhook.auditSeq, failuresInRow: webhook.failuresInRow };
    const turn: Omit<BatchOptions, 'webhook'> = {
      secrets,
      post,
      now,
      mayBegin: () => mayBegin() && !stopping.signal.aborted,
      listDueDeliveries: (most) => listDueDeliveries(store, id, most),
      readEvents: (audit, logins) => readEvents(store, audit, logins),
      readStretch: async (auditSeq, limit) => {
        const stretch = await readLogRange(store, { id, auditSeq }, { limit, withLogins });
        of.lagSeconds = Math.max(0, ...stretch.events.map(({ at }) => (now() - at.getTime()) / 1000));
        return stretch;
      },
      listHeldObjects: (events) => listHeldObjects(store, id, events),
      storeProgress: (progress) => storeProgress(store, holder, progress),
    };
    while (turn.mayBegin()) {
      const done = await deliverBatch({ ...turn, webhook: { ...webhook, ...state } });
      of.delivered += done.delivered;
      of.failed += done.failed;
      of.gone += done.gone;
      state = done;
      if (!done.isMore || done.isResting) break;
    }
    const { dead, oldestAt } = await readBacklog(store, id);
    of.dead = dead;
    of.lagSeconds = oldestAt === null ? 0 : Math.max(0, (now() - oldestAt.getTime()) / 1000);
  }

  async function goRound(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await look();
        isFailing = false;
      } catch (cause) {
        if (!isFailing && !stopping.signal.aborted) onFailure(cause, 'webhooks could not be looked after');
        isFailing = true;
      }
      await sleep(lookMilliseconds, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const going = goRound();

  return {
    status: () => figures,
    async close() {
      stopping.abort();
      await going;
      await Promise.all(working.values());
    },
  };
}

/** A secret that does not open signs nothing, and without a signature nothing is sent. */
function openSecrets(secrets: WebhookSecrets, webhook: ClaimedWebhook): readonly Buffer[] {
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
