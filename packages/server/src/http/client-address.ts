// Client IP address of a request: the socket's address, or what a trusted proxy says in X-Forwarded-For. All other clients can
// write anything there, so it is not read from them. An unreadable entry counts as the proxy that passed it on, and is never
// skipped.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, SocketAddress } from 'node:net';
import { familyOf, parseRange } from '../base/values/parse-range.ts';

export type ClientAddress = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => string;

export interface TrustedProxies {
  has(address: string): boolean;
}

/** A closed socket no longer has an address; all of them share this one, so that a limit still counts them. */
const unknownAddress = '0.0.0.0';
const mapped = '::ffff:';

export function createTrustedProxies(ranges: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const range of ranges) {
    const parsed = parseRange(range);
    if (parsed !== undefined) list.addSubnet(parsed.address, parsed.bits, parsed.family);
  }
  return { has: (address) => list.check(address, familyOf(address)) };
}

/** Lint of the setting: each problem with its remedy; empty when there is none. */
export function lintProxies(ranges: readonly string[]): string[] {
  return ranges
    .filter((range) => parseRange(range) === undefined)
    .map(
      (range) =>
        `\`application.trustedProxies\` contains ${JSON.stringify(range)}, which is neither an IP address nor a CIDR range. Write it like 10.0.0.5, 10.0.3.0/24 or fd00::5; all addresses (/0) are refused.`,
    );
}

export function createClientAddress(ranges: readonly string[]): ClientAddress {
  if (ranges.length === 0) return ({ socket }) => peerOf(socket);
  const proxies = createTrustedProxies(ranges);
  return ({ socket, headers }) => {
    let known = peerOf(socket);
    if (!proxies.has(known)) return known;
    // Node joins a repeated header in order.
    for (const entry of String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .toReversed()) {
      const address = parseEntry(entry.trim());
      if (address === undefined) return known;
      known = address;
      if (!proxies.has(known)) return known;
    }
    return known;
  };
}

export function peerOf(socket: { readonly remoteAddress?: string | undefined }): string {
  const address = socket.remoteAddress ?? unknownAddress;
  return address.includes(':') ? (canonicalAddress(address) ?? unknownAddress) : address;
}

/** Reads an address as proxies write it: bare, with a port, or in brackets. */
function parseEntry(entry: string): string | undefined {
  const [, inBrackets, beforePort] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(entry) ?? [];
  return canonicalAddress(inBrackets ?? beforePort ?? entry);
}

/** One text per address, without zone; an IPv4 address that is mapped into IPv6 becomes the IPv4 address. */
function canonicalAddress(text: string): string | undefined {
  const address = text.replace(/%.*$/, '');
  const family = isIP(address);
  if (family !== 6) return family === 4 ? address : undefined;
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address;
  const isMapped = canonical.startsWith(mapped) && canonical.includes('.');
  return isMapped ? canonical.slice(mapped.length) : canonical;
}
