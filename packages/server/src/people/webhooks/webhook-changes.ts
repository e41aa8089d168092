// Administrative changes of webhooks: create, change, end, test, replay and skip. Each one is recorded in its transaction; a change
// and an end are answered when no instance delivers with the previous settings any more.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AppError,
  type Call,
  type changeWebhookEndpoint,
  type createWebhookEndpoint,
  type endWebhookEndpoint,
  mostWebhooks,
  type replayDeliveriesEndpoint,
  type skipDeliveriesEndpoint,
  type testWebhookEndpoint,
} from '@portcullis/contract';
import type { AllowedAddresses } from '../../base/outbound/allowed-addresses.ts';
import type { SealedSecrets } from '../../base/secrets/sealed-secrets.ts';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import type { Store } from '../../cluster/store/store.ts';
import type { RecordChange } from '../../logs/audit/record-change.ts';
import {
  findProblem,
  readAuditPlace,
  replayDeliveries,
  retryNow,
  skipDelivery,
} from './delivery-admin-store.ts';
import { objectOf, testType } from './event.ts';
import { isRevisionInForce, leaseMilliseconds } from './webhook-lease-store.ts';
import { generateSecret } from './webhook-signature.ts';
import {
  changeWebhook,
  countWebhooks,
  deleteEndedWebhooks,
  lockWebhook,
  type NewWebhook,
  type StoredWebhook,
  storeWebhook,
  type WebhookChange,
} from './webhook-store.ts';
import { parseWebhookUrl } from './webhook-url.ts';

export interface WebhookChangesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly secrets: SealedSecrets;
  readonly addresses: AllowedAddresses;
  readonly randomBytes: (size: number) => Buffer;
  readonly monotonic?: () => number;
}

/** How long the previous secret still signs after a rotation. */
const rotationSeconds = 86_400;
const pollMilliseconds = 100;
/** Longer than a lease: no lease can be renewed after the change, so each earlier one has ended by then. */
const mostWait = leaseMilliseconds + 1000;
const testMilliseconds = 8000;

export function createWebhookChanges({ store, access, recordChange, ...options }: WebhookChangesOptions) {
  const { secrets, addresses, randomBytes, monotonic = () => performance.now() } = options;

  function checkUrl(url: string | undefined): void {
    if (url !== undefined && parseWebhookUrl(url, addresses) === undefined)
      throw new AppError('webhook_url_refused');
  }

  async function until(isSo: () => Promise<boolean>, milliseconds: number): Promise<boolean> {
    const end = monotonic() + milliseconds;
    for (;;) {
      if (await isSo()) return true;
      if (monotonic() >= end) return false;
      await sleep(pollMilliseconds);
    }
  }

  async function followed(id: number, revision: number): Promise<void> {
    if (!(await until(() => isRevisionInForce(store, id, revision), mostWait)))
      throw new AppError('unavailable');
  }

  return {
    async create(call: Call<typeof createWebhookEndpoint>) {
      const { name, url, types = [] } = call.body;
      checkUrl(url);
      const { secret, shown } = generateSecret(randomBytes);
      let id = 0;
      await access.give(call, async (transaction) => {
        if ((await countWebhooks(transaction)) >= mostWebhooks) throw new AppError('conflict');
        const webhook = { name, url, types };
        id = await storeWebhook(transaction, webhook, (given) => secrets.seal(given, secret));
        const after = shownOf({ ...webhook, enabled: true });
        await recordChange(transaction, call, {
          action: 'webhook.create',
          target: objectOf(id),
          before: null,
          after,
        });
        return [];
      });
      return { id, secret: shown };
    },

    async change(call: Call<typeof changeWebhookEndpoint>) {
      const { id } = call.params;
      const { secret: rotation, ...fields } = call.body;
      checkUrl(fields.url);
      const drawn = rotation === 'rotate' ? generateSecret(randomBytes) : undefined;
      let revision = 0;
      await access.give(call, async (transaction) => {
        const webhook = await lockWebhook(transaction, id);
        if (rotation === 'finish' && webhook.sealedPrevious === null) throw new AppError('conflict');
        const change: WebhookChange = {
          ...fields,
          ...(drawn === undefined
            ? {}
            : {
                sealedSecret: secrets.seal(id, drawn.secret),
                sealedPrevious: webhook.sealedSecret,
                previousSeconds: rotationSeconds,
              }),
          ...(rotation === 'finish' ? { sealedPrevious: null, previousSeconds: null } : {}),
        };
        revision = await changeWebhook(transaction, id, change);
        const before = shownOf(webhook);
        const after = {
          ...shownOf({ ...webhook, ...fields }),
          ...(rotation === undefined ? {} : { secret: rotation }),
        };
        await recordChange(transaction, call, {
          action: 'webhook.update',
          target: objectOf(id),
          before,
          after,
        });
        return [];
      });
      await followed(id, revision);
      return { secret: drawn?.shown ?? null };
    },

    async end(call: Call<typeof endWebhookEndpoint>) {
      const { id } = call.params;
      let revision = 0;
      await access.give(call, async (transaction) => {
        const before = shownOf(await lockWebhook(transaction, id));
        revision = await changeWebhook(transaction, id, { isEnded: true });
        const target = objectOf(id);
        await recordChange(transaction, call, { action: 'webhook.end', target, before, after: null });
        return [];
      });
      await followed(id, revision);
      await deleteEndedWebhooks(store);
    },

    /** A test event is an ordinary audit record, which the instance with the lease delivers: there is no second delivery path. */
    async test(call: Call<typeof testWebhookEndpoint>) {
      const { id } = call.params;
      const target = objectOf(id);
      await access.give(call, async (transaction) => {
        if (!(await lockWebhook(transaction, id)).enabled) throw new AppError('conflict');
        await recordChange(transaction, call, { action: testType, target, before: null, after: null });
        return [];
      });
      const seq = await retryNow(store, id);
      const isAttempted = await until(
        async () => ((await readAuditPlace(store, id)) ?? seq) >= seq,
        testMilliseconds,
      );
      if (!isAttempted) return { delivered: false, error: 'not attempted yet: check that an instance runs' };
      const error = await findProblem(store, id, { type: testType, object: target });
      return { delivered: error === null, error };
    },

    async replay(call: Call<typeof replayDeliveriesEndpoint>) {
      const { id } = call.params;
      const { deliveryId } = call.body;
      let count = 0;
      await access.give(call, async (transaction) => {
        await lockWebhook(transaction, id);
        count = await replayDeliveries(transaction, id, deliveryId);
        await changeWebhook(transaction, id, {});
        const after = { deliveryId: deliveryId ?? null, count };
        const target = objectOf(id);
        await recordChange(transaction, call, { action: 'webhook.replay', target, before: null, after });
        return [];
      });
      return { count };
    },

    async skip(call: Call<typeof skipDeliveriesEndpoint>) {
      const { id } = call.params;
      await access.give(call, async (transaction) => {
        await lockWebhook(transaction, id);
        const { eventId, log, type, subject, at } = await skipDelivery(transaction, id, call.body.deliveryId);
        const before = { eventId, log, type, subject, at };
        const target = objectOf(id);
        await recordChange(transaction, call, { action: 'webhook.skip', target, before, after: null });
        return [];
      });
      return { count: 1 };
    },
  };
}

/** The audit log gets only the host of the URL, because its path can contain a secret of the receiver. */
function shownOf({ name, url, types, enabled }: NewWebhook & Pick<StoredWebhook, 'enabled'>) {
  return { name, host: URL.parse(url)?.host ?? '', types, enabled };
}
