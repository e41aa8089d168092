// Which addresses a provider may be at: public ones, and of the others those that an operator named. Asked of the address that
// is connected to, so that a name which leads inwards, or does so the second time, leads nowhere.
import { lookup as lookUp } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { createAllowedAddresses } from '../../base/values/allowed-addresses.ts';
import { ProviderUnavailable } from './provider-unavailable.ts';

export interface SsrfGuard {
  /** For sockets: it finds no address that a provider may not be at. */
  readonly lookup: LookupFunction;
  /** Of an address that stands in a URL itself, and so is never looked up. */
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
