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
import type { ReachCheck } from '../roles/can-manage/can-manage-check.ts';
import { listLetters } from './delivery-store.ts';
import { createHookChanges, type HookChangesOptions } from './webhook-changes.ts';
import { expectHook, listHooks } from './webhook-store.ts';

interface WebhookRoutesOptions extends HookChangesOptions {
  readonly reach: Pick<ReachCheck, 'ofEverybody'>;
  /** Whether login attempts are recorded at all. */
  readonly loginEvents: boolean;
}

export function webhookRoutes({ reach, loginEvents, ...options }: WebhookRoutesOptions): Route[] {
  const { store } = options;
  const changes = createHookChanges(options);
  const left =
    <C extends { readonly caller: Caller }, R>(work: (call: C) => Promise<R>) =>
    async (call: C) => {
      reach.ofEverybody(call.caller);
      return { data: await work(call) };
    };
  return [
    route(
      listWebhooksEndpoint,
      left(async () => ({ items: await listHooks(store), loginEvents })),
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
        await expectHook(store, params.id);
        return await listLetters(store, params.id, { after, limit, state });
      }),
    ),
    route(replayDeliveriesEndpoint, left(changes.replay)),
    route(skipDeliveriesEndpoint, left(changes.skip)),
  ];
}
