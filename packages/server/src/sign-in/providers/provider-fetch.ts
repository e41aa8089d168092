// `fetch` for requests to providers: https only, and every fault is a `ProviderUnavailable`. Libraries that send requests to a
// provider use it too.
import { createAllowedAddresses } from '../../base/outbound/allowed-addresses.ts';
import type { ResolveHost } from '../../base/outbound/host-resolver.ts';
import { createHttpClient, type OutboundRequest } from '../../base/outbound/http-client.ts';
import type { OutboundError } from '../../base/outbound/outbound-error.ts';
import { ProviderUnavailable } from './provider-unavailable.ts';

interface ProviderFetchOptions {
  /** Where providers are allowed besides public addresses (`provider.allowedNetworks`). */
  readonly allowedNetworks: readonly string[];
  readonly resolve: ResolveHost;
  /** The certificate authorities to trust, instead of Node's default ones. */
  readonly authorities?: readonly string[] | undefined;
}

export type ProviderFetch = (
  url: string,
  asked: Pick<OutboundRequest, 'method' | 'headers' | 'body'>,
) => Promise<Response>;

const wholeMilliseconds = 3000;
const limits = {
  connectMilliseconds: 1500,
  wholeMilliseconds,
  /** Ten times the size of the keys and the discovery document of Microsoft Entra ID together. */
  mostBytes: 256 * 1024,
  sockets: { keepAlive: true, maxSockets: 32, maxFreeSockets: 4, timeout: wholeMilliseconds },
};

export function createProviderFetch({
  allowedNetworks,
  ...options
}: ProviderFetchOptions): ProviderFetch & { close(): void } {
  const client = createHttpClient({
    ...limits,
    ...options,
    addresses: createAllowedAddresses({ allowedNetworks }),
  });

  async function providerFetch(address: string, { headers, ...asked }: Parameters<ProviderFetch>[1]) {
    const url = new URL(address);
    if (url.protocol !== 'https:') throw new ProviderUnavailable(`${url.origin} is not https.`);
    const sent = { ...asked, headers: { ...headers, 'accept-encoding': 'identity' } };
    const answer = await client.send(url, sent).catch((error: OutboundError) => {
      throw unavailableOf(url, error);
    });
    const { status, body } = answer;
    if (status >= 500 || status < 200) throw new ProviderUnavailable(`${url.host}: HTTP ${status}`);
    const kept = new Headers();
    for (const name of ['content-type', 'www-authenticate'] as const) {
      const value = answer.headers[name];
      if (value !== undefined) kept.set(name, value);
    }
    return new Response(status === 204 ? null : Buffer.from(body), { status, headers: kept });
  }
  return Object.assign(providerFetch, { close: client.close });
}

function unavailableOf({ host, hostname }: URL, error: OutboundError): ProviderUnavailable {
  if (error.fault === 'address_refused')
    return new ProviderUnavailable(
      `${hostname} is at an address that is not public. Where that is right, name its network in \`provider.allowedNetworks\`.`,
    );
  return new ProviderUnavailable(`${host}: ${error.message}`, { cause: error.cause });
}
