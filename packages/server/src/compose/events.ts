// Part of the composition root: what tells events to others, on connections of its own.
import type { Logger } from 'pino';
import type { Config } from '../base/settings/config.ts';
import { createAllowedAddresses } from '../base/values/allowed-addresses.ts';
import { openStore } from '../cluster/store/store.ts';
import { type DeliveryWorker, startDeliveryWorker } from '../people/webhooks/delivery-worker.ts';
import { createSendEvent } from '../people/webhooks/send-event.ts';
import { createWebhookSecrets } from '../people/webhooks/webhook-secrets.ts';

interface EventParts {
  readonly config: Config;
  readonly instance: string;
  readonly logger: Logger;
  readonly onConnectionLost: (cause: Error) => void;
}

/** One to deliver with, and one to renew the lease meanwhile. */
export const eventPoolSize = 2;
/** It may look through a day of the login log for what an instance brought late. */
const statementMilliseconds = 30_000;

export function composeEvents({ config, instance, logger, onConnectionLost }: EventParts): DeliveryWorker {
  const store = openStore({
    url: config.database.url,
    poolSize: eventPoolSize,
    statementTimeoutMilliseconds: statementMilliseconds,
    onConnectionLost,
  });
  const { post, close } = createSendEvent({ addresses: createAllowedAddresses(config.webhook) });
  const deliverer = startDeliveryWorker({
    store,
    instance,
    secrets: createWebhookSecrets(config.sealingKeys),
    post,
    attempts: config.webhook.attempts,
    withLogins: config.loginLogEnabled,
    onFailure: (err, what) => logger.error({ err }, what),
    now: Date.now,
    monotonic: () => performance.now(),
  });
  return {
    status: deliverer.status,
    async close() {
      await deliverer.close();
      close();
      await store.destroy();
    },
  };
}
