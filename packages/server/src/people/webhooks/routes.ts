// HTTP routes of webhooks and their deliveries. Webhook events are about all users, so only `admin` can call these routes.
import {
  type Caller,
  changeWebhookEndpoint,
  createWebhookEndpoint,
  defaultPageLimit,
  endWebhookEndpoint,
  listDeliveriesEndpoint,
  listWebhooksEndpoint,
  type Route,
  replayDeliveriesEndpoint,
  route,
  skipDeliveriesEndpoint,
  testWebhookEndpoint,
} from '@portcullis/contract';
import type { CanManageCheck } from '../roles/can-manage/can-manage-check.ts';
import { listDeliveries } from './delivery-admin-store.ts';
import { createWebhookChanges, type WebhookChangesOptions } from './webhook-changes.ts';
import { listWebhooks, requireWebhook } from './webhook-store.ts';

interface WebhookRoutesOptions extends WebhookChangesOptions {
  readonly canManage: Pick<CanManageCheck, 'ofEverybody'>;
  /** Whether login attempts are recorded at all. */
  readonly loginEvents: boolean;
}

export function webhookRoutes({ canManage, loginEvents, ...options }: WebhookRoutesOptions): Route[] {
  const { store } = options;
  const changes = createWebhookChanges(options);
  const forAdmin =
    <C extends { readonly caller: Caller }, R>(work: (call: C) => Promise<R>) =>
    async (call: C) => {
      canManage.ofEverybody(call.caller);
      return { data: await work(call) };
    };
  return [
    route(
      listWebhooksEndpoint,
      forAdmin(async () => ({ items: await listWebhooks(store), loginEvents })),
    ),
    route(createWebhookEndpoint, forAdmin(changes.create)),
    route(changeWebhookEndpoint, forAdmin(changes.change)),
    route(
      endWebhookEndpoint,
      forAdmin(async (call) => {
        await changes.end(call);
        return null;
      }),
    ),
    route(testWebhookEndpoint, forAdmin(changes.test)),
    route(
      listDeliveriesEndpoint,
      forAdmin(async ({ params, query: { after, limit = defaultPageLimit, state } }) => {
        await requireWebhook(store, params.id);
        return await listDeliveries(store, params.id, { after, limit, state });
      }),
    ),
    route(replayDeliveriesEndpoint, forAdmin(changes.replay)),
    route(skipDeliveriesEndpoint, forAdmin(changes.skip)),
  ];
}
