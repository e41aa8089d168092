// A webhook as the list returns it.
import type { client } from '../../client.ts';

type Listed = Awaited<ReturnType<typeof client.listWebhooks>>['data'];
export type Webhook = Listed['items'][number];
export type Letter = Awaited<ReturnType<typeof client.listDeliveries>>['data']['items'][number];

/** Parses typed event kinds. */
export function parseKinds(text: string): string[] {
  return text.split(/[\s,]+/).filter((kind) => kind !== '');
}

export type HookState = 'on' | 'off' | 'resting' | 'dead';

/** The most important state first. */
export function stateOf({ enabled, dead, restingUntil }: Webhook): HookState {
  if (!enabled) return 'off';
  if (dead > 0) return 'dead';
  return restingUntil === null ? 'on' : 'resting';
}
