// Webhooks over HTTP. They are told what happens to everybody, so they are left to `admin`.
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
import { expectWebhook, listWebhooks } from './webhook-store.ts';

interface WebhookRoutesOptions extends WebhookChangesOptions {
  readonly reach: Pick<CanManageCheck, 'ofEverybody'>;
  /** Whether login attempts are recorded at all. */
  readonly loginEvents: boolean;
}

export function webhookRoutes({ reach, loginEvents, ...options }: WebhookRoutesOptions): Route[] {
  const { store } = options;
  const changes = createWebhookChanges(options);
  const left =
    <C extends { readonly caller: Caller }, R>(work: (call: C) => Promise<R>) =>
    async (call: C) => {
      reach.ofEverybody(call.caller);
      return { data: await work(call) };
    };
  return [
    route(
      listWebhooksEndpoint,
      left(async () => ({ items: await listWebhooks(store), loginEvents })),
    ),
    route(createWebhookEndpoint, left(changes.create)),
    route(changeWebhookEndpoint, left(changes.change)),
    route(
      endWebhookEndpoint,
      left(async (call) => {
        await changes.end(call);
        return null;
      }),
    ),
    route(testWebhookEndpoint, left(changes.test)),
    route(
      listDeliveriesEndpoint,
      left(async ({ params, query: { after, limit = defaultPageLimit, state } }) => {
        await expectWebhook(store, params.id);
        return await listDeliveries(store, params.id, { after, limit, state });
      }),
    ),
    route(replayDeliveriesEndpoint, left(changes.replay)),
    route(skipDeliveriesEndpoint, left(changes.skip)),
  ];
}
