// SSRF guard: decides which IP addresses the service is allowed to connect to where another party names the host, such as a webhook
// receiver or a provider. Allowed are public addresses and the networks that the settings name; every other address is refused.
import { BlockList, isIP } from 'node:net';
import { parseRange } from '../values/parse-range.ts';

export interface AddressSettings {
  readonly allowedNetworks: readonly string[];
  /** Whether loopback addresses of this host are allowed too. */
  readonly allowLoopback?: boolean;
}

export interface AllowedAddresses {
  has(address: string): boolean;
  /** True of a loopback address when the settings allow loopback. */
  hasLoopback(address: string): boolean;
  /** The first refused address among all that a host name resolves to. One refused address refuses the whole name. */
  findRefused(found: readonly { readonly address: string }[]): string | undefined;
}

/** Special-purpose ranges from IANA's registries; of IPv6, IANA allocates global unicast addresses from 2000::/3 only. */
const special = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
];
const globalUnicast = ['2000::/3'];
const loopbacks = ['127.0.0.0/8', '::1/128'];

export function createAllowedAddresses({
  allowedNetworks,
  allowLoopback = false,
}: AddressSettings): AllowedAddresses {
  const [isSpecial, isGiven, isNamed, isLoopback] = [special, globalUnicast, allowedNetworks, loopbacks].map(
    listOf,
  ) as [Has, Has, Has, Has];
  const hasLoopback = (address: string) => allowLoopback && isLoopback(address);
  const has = (address: string) => {
    if (isIP(address) === 0) return false;
    if (hasLoopback(address) || isNamed(address)) return true;
    // An IPv4-mapped IPv6 address is outside 2000::/3, so it is refused.
    return !isSpecial(address) && (isIP(address) === 4 || isGiven(address));
  };
  return {
    has,
    hasLoopback,
    findRefused: (found) => found.find(({ address }) => !has(address))?.address,
  };
}

/** For a service that the operator names: any address; without TLS, only this host. */
export const anyAddress: AllowedAddresses = {
  ...createAllowedAddresses({ allowedNetworks: [], allowLoopback: true }),
  has: () => true,
  findRefused: () => undefined,
};

type Has = (address: string) => boolean;

function listOf(ranges: readonly string[]): Has {
  const list = new BlockList();
  for (const range of ranges) {
    const parsed = parseRange(range);
    if (parsed !== undefined) list.addSubnet(parsed.address, parsed.bits, parsed.family);
  }
  return (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Lint of a setting that names networks: each problem with its remedy. */
export function lintNetworks(setting: string, networks: readonly string[]): string[] {
  return networks
    .filter((range) => parseRange(range) === undefined)
    .map(
      (range) =>
        `\`${setting}\` contains ${JSON.stringify(range)}, which is neither an IP address nor a CIDR range. Write it like 10.0.0.5 or 10.0.3.0/24; all addresses (/0) are refused.`,
    );
}
