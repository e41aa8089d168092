// Part of the composition root: the delivery of webhooks, on separate database connections.
import type { Logger } from 'pino';
import { createAllowedAddresses } from '../base/outbound/allowed-addresses.ts';
import type { ResolveHost } from '../base/outbound/host-resolver.ts';
import { createSealedSecrets } from '../base/secrets/sealed-secrets.ts';
import type { Config } from '../base/settings/config.ts';
import { openStore } from '../cluster/store/store.ts';
import { createDeliveryWorker, type DeliveryWorker } from '../people/webhooks/delivery-worker.ts';
import { createSendEvent } from '../people/webhooks/send-event.ts';

interface EventParts {
  readonly config: Config;
  readonly instance: string;
  readonly logger: Logger;
  readonly resolve: ResolveHost;
  readonly onConnectionLost: (cause: Error) => void;
}

/** One connection to deliver with, and one to renew the lease meanwhile. */
export const eventPoolSize = 2;
/** A statement can search a day of the login log for records that an instance stored late. */
const statementMilliseconds = 30_000;

export function composeEvents({
  config,
  instance,
  logger,
  resolve,
  onConnectionLost,
}: EventParts): DeliveryWorker {
  const store = openStore({
    url: config.database.url,
    poolSize: eventPoolSize,
    statementTimeoutMilliseconds: statementMilliseconds,
    onConnectionLost,
  });
  const { post, close } = createSendEvent({ addresses: createAllowedAddresses(config.webhook), resolve });
  const deliverer = createDeliveryWorker({
    store,
    instance,
    secrets: createSealedSecrets('webhook', config.sealingKeys),
    post,
    attempts: config.webhook.maxAttempts,
    withLogins: config.loginLogEnabled,
    onFailure: (err, what) => logger.error({ err }, what),
    now: Date.now,
    monotonic: () => performance.now(),
  });
  return {
    ...deliverer,
    async close() {
      await deliverer.close();
      close();
      await store.destroy();
    },
  };
}
