// The types of a provider.
import type { client } from '../../client.ts';

export type Provider = Awaited<ReturnType<typeof client.getProvider>>['data'];
export type Plan = Awaited<ReturnType<typeof client.planMappings>>['data'];
export type PlannedChange = Plan['changes'][number];
/** The requested mappings: the source of roles, and the ordered mappings. */
export type Wish = Awaited<ReturnType<typeof client.listMappings>>['data'];

type PresetName = Extract<Provider['settings'], { preset?: unknown }>['preset'] & string;

/**
 * The address of a provider: its issuer, the URL of a directory or of its sign-in page, or the name of a known service.
 */
export function addressOf(
  { settings }: Pick<Provider, 'settings'>,
  services: Readonly<Record<PresetName, string>>,
): string {
  if ('issuer' in settings) return settings.issuer;
  if ('url' in settings) return settings.url;
  return settings.preset === undefined ? (settings.authorizationUrl ?? '') : services[settings.preset];
}
