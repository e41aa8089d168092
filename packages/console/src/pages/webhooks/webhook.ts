// A webhook as the list returns it.
import type { client } from '../../client.ts';

type Listed = Awaited<ReturnType<typeof client.listWebhooks>>['data'];
export type Webhook = Listed['items'][number];
export type Delivery = Awaited<ReturnType<typeof client.listDeliveries>>['data']['items'][number];

/** Parses the entered event types. */
export function parseTypes(text: string): string[] {
  return text.split(/[\s,]+/).filter((type) => type !== '');
}

export type WebhookState = 'on' | 'off' | 'paused' | 'dead';

/** The most important state first. */
export function stateOf({ enabled, deadLetters, pausedUntil }: Webhook): WebhookState {
  if (!enabled) return 'off';
  if (deadLetters > 0) return 'dead';
  return pausedUntil === null ? 'on' : 'paused';
}
