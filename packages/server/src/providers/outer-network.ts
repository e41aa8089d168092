// Which addresses a provider may be at: public ones, and of the others those that an operator named. Asked of the address that
// is connected to, so that a name which leads inwards, or does so the second time, leads nowhere.
import { type LookupAddress, lookup as lookUp } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { ProviderAway } from './provider-away.ts';

/** Those that are not reached over the Internet (RFC 6890), and what IPv6 wraps an IPv4 address in; an address that is mapped is judged by its IPv4 one. */
const inner = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 96, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['100::', 64, 'ipv6'],
  ['2001::', 23, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
] as const;

export interface OuterNetwork {
  /** For sockets: it finds no address that a provider may not be at. */
  readonly lookup: LookupFunction;
  /** Of an address that stands in a URL itself, and so is never looked up. */
  checkHost(host: string): void;
}

export function createOuterNetwork(allowedNetworks: readonly string[]): OuterNetwork {
  const closed = new BlockList();
  for (const [network, bits, family] of inner) closed.addSubnet(network, bits, family);
  const open = new BlockList();
  for (const network of allowedNetworks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    open.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  const mayReach = (address: string) => {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    return open.check(address, family) || !closed.check(address, family);
  };
  const refusal = (host: string) =>
    new ProviderAway(
      `${host} is at an address that is not public. Where that is right, name its network in \`provider.networks\`.`,
    );

  return {
    lookup(host, options, done) {
      lookUp(host, { ...options, all: true }, (error, addresses) => {
        if (error !== null) return done(error, '', 0);
        const reachable = addresses.filter(({ address }) => mayReach(address));
        const [first] = reachable;
        // One that leads inwards makes all of them suspect.
        if (first === undefined || reachable.length < addresses.length) return done(refusal(host), '', 0);
        if (options.all) return done(null, reachable as LookupAddress[]);
        return done(null, first.address, first.family);
      });
    },
    checkHost(host) {
      const address = host.replace(/^\[|\]$/g, '');
      if (isIP(address) !== 0 && !mayReach(address)) throw refusal(address);
    },
  };
}
