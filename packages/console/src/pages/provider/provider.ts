// A provider as the console shows it.
import type { client } from '../../client.ts';

export type Provider = Awaited<ReturnType<typeof client.getProvider>>['data'];
export type Plan = Awaited<ReturnType<typeof client.planMappings>>['data'];
export type PlannedChange = Plan['changes'][number];
/** What is asked for: where roles come from, and the mappings in their order. */
export type Wish = Awaited<ReturnType<typeof client.listMappings>>['data'];

type PresetName = Extract<Provider['settings'], { preset?: unknown }>['preset'] & string;

/** Where the provider is: its issuer, the address of a directory or of where people sign in, or which known service it is. */
export function addressOf(
  { settings }: Pick<Provider, 'settings'>,
  services: Readonly<Record<PresetName, string>>,
): string {
  if ('issuer' in settings) return settings.issuer;
  if ('url' in settings) return settings.url;
  return settings.preset === undefined ? (settings.authorizeUrl ?? '') : services[settings.preset];
}
