// A webhook as the list has it.
import type { client } from '../../client.ts';

type Listed = Awaited<ReturnType<typeof client.listWebhooks>>['data'];
export type Webhook = Listed['items'][number];
export type Letter = Awaited<ReturnType<typeof client.listDeliveries>>['data']['items'][number];

/** Kinds as somebody types them. */
export function parseKinds(text: string): string[] {
  return text.split(/[\s,]+/).filter((kind) => kind !== '');
}

export type HookState = 'on' | 'off' | 'resting' | 'dead';

/** What is to be looked at first. */
export function stateOf({ enabled, dead, restingUntil }: Webhook): HookState {
  if (!enabled) return 'off';
  if (dead > 0) return 'dead';
  return restingUntil === null ? 'on' : 'resting';
}
