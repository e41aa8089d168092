// SSRF guard: a provider must have a public address, or one in a network that the operator named (`provider.networks`). The guard
// checks the addresses that the socket connects to, so a host name cannot lead to the internal network, not even at its second
// lookup (DNS rebinding).
import { lookup as lookUp } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { createAllowedAddresses } from '../../base/values/allowed-addresses.ts';
import { ProviderUnavailable } from './provider-unavailable.ts';

export interface SsrfGuard {
  /** The DNS lookup for sockets. Fails when one of the addresses is refused. */
  readonly lookup: LookupFunction;
  /** Checks an IP address in a URL, for which there is no lookup. */
  checkHost(host: string): void;
}

export function createSsrfGuard(networks: readonly string[]): SsrfGuard {
  const addresses = createAllowedAddresses({ networks });
  const refusal = (host: string) =>
    new ProviderUnavailable(
      `${host} is at an address that is not public. Where that is right, name its network in \`provider.networks\`.`,
    );

  return {
    lookup(host, options, done) {
      lookUp(host, { ...options, all: true }, (error, found) => {
        if (error !== null) return done(error, '', 0);
        const [first] = found;
        if (first === undefined || addresses.findRefused(found) !== undefined)
          return done(refusal(host), '', 0);
        if (options.all) return done(null, found);
        return done(null, first.address, first.family);
      });
    },
    checkHost(host) {
      const address = host.replace(/^\[|\]$/g, '');
      if (isIP(address) !== 0 && !addresses.has(address)) throw refusal(address);
    },
  };
}
