// Which addresses the service may connect to where somebody else names them, a receiver of events or a provider: public ones,
// and what the settings name beside them. Everything that is not known to be public is not.
import { BlockList, isIP } from 'node:net';
import { parseRange } from './parse-range.ts';

export interface AddressSettings {
  readonly networks: readonly string[];
  /** Whether this host is among them. */
  readonly loopback?: boolean;
}

export interface AllowedAddresses {
  has(address: string): boolean;
  /** Of this host, and the settings let it be. */
  hasLoopback(address: string): boolean;
  /** Of all that a name stands for, one that is not allowed. It spoils the others: the name is not to be trusted. */
  findRefused(found: readonly { readonly address: string }[]): string | undefined;
}

/** IANA's registries of special addresses; of IPv6 only 2000::/3 is given out at all. */
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

export function createAllowedAddresses({ networks, loopback = false }: AddressSettings): AllowedAddresses {
  const [isSpecial, isGiven, isNamed, isLoopback] = [special, globalUnicast, networks, loopbacks].map(
    listOf,
  ) as [Has, Has, Has, Has];
  const hasLoopback = (address: string) => loopback && isLoopback(address);
  const has = (address: string) => {
    if (isIP(address) === 0) return false;
    if (hasLoopback(address) || isNamed(address)) return true;
    // An IPv4 address in the clothes of an IPv6 one is none that anybody gives out.
    return !isSpecial(address) && (isIP(address) === 4 || isGiven(address));
  };
  return {
    has,
    hasLoopback,
    findRefused: (found) => found.find(({ address }) => !has(address))?.address,
  };
}

type Has = (address: string) => boolean;

function listOf(ranges: readonly string[]): Has {
  const list = new BlockList();
  for (const range of ranges) {
    const parsed = parseRange(range);
    if (parsed !== undefined) list.addSubnet(parsed.address, parsed.bits, parsed.family);
  }
  return (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** What is wrong with a setting that names networks, each with what to do. */
export function lintNetworks(setting: string, networks: readonly string[]): string[] {
  return networks
    .filter((range) => parseRange(range) === undefined)
    .map(
      (range) =>
        `\`${setting}\` has ${JSON.stringify(range)}, which is neither an address nor a range. Write it like 10.0.0.5 or 10.0.3.0/24; all addresses (/0) are refused.`,
    );
}
