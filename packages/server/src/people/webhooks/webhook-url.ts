// Validates the URL of a webhook: https, or http to an allowed loopback address. Host names are resolved, and their addresses
// checked, when an event is sent.
import { isIP } from 'node:net';
import type { AllowedAddresses } from '../../base/outbound/allowed-addresses.ts';

/** Undefined if the URL is not allowed. */
export function parseWebhookUrl(text: string, addresses: AllowedAddresses): URL | undefined {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  const host = hostOf(url);
  if (isIP(host) !== 0 && !addresses.has(host)) return undefined;
  if (url.protocol === 'https:') return url;
  const isLocal = host === 'localhost' ? addresses.hasLoopback('127.0.0.1') : addresses.hasLoopback(host);
  return url.protocol === 'http:' && isLocal ? url : undefined;
}

/** Without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
