// A provider as the console shows it.
import type { client } from '../../client.ts';

export type Provider = Awaited<ReturnType<typeof client.getProvider>>['data'];
export type Plan = Awaited<ReturnType<typeof client.planMappings>>['data'];
export type PlannedChange = Plan['changes'][number];
/** What is asked for: where roles come from, and the mappings in their order. */
export type Wish = Awaited<ReturnType<typeof client.listMappings>>['data'];

/** Where the provider is: its issuer, or the address of a directory. */
export function addressOf({ settings }: Pick<Provider, 'settings'>): string {
  if ('issuer' in settings) return settings.issuer;
  return 'url' in settings ? settings.url : '';
}
