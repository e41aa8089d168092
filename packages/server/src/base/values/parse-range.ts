// Parses an IP address or a CIDR range. Refuses /0, which would be all addresses.
import { isIP } from 'node:net';

export function parseRange(range: string) {
  const [, text = '', bits] = /^([^/]+)(?:\/([1-9]\d{0,2}))?$/.exec(range) ?? [];
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  const family = familyOf(text);
  const all = family === 'ipv4' ? 32 : 128;
  const used = bits === undefined ? all : Number(bits);
  return used > all ? undefined : ({ address: text, bits: used, family } as const);
}

export function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}
