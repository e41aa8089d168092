// Searches a file byte for byte for traces of the people of the test: names and agents as they are and in the digits of
// bytes, addresses as texts and as Postgres stores them.
import { createReadStream } from 'node:fs';

/** How many bytes of a piece are looked at again with the next one. */
const overlap = 128;

const patterns = {
  text: /zq[una]-([0-9a-f]{8})/g,
  /** The same as `pg_dump` writes bytes. */
  digits: /7a71(?:75|6e|61)2d((?:3[0-9]|6[1-6]){8})/g,
  address: /2001:db8:([0-9a-f]{4}):([0-9a-f]{4})::1/g,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: They are the bytes of an address.
  stored: /\x20\x01\x0d\xb8([\s\S]{4})\x00{7}\x01/g,
};

/** What was found, each with how often; by a text that says of whom. */
export async function findTraces(file: string): Promise<{ bytes: number; traces: Map<string, number> }> {
  const traces = new Map<string, number>();
  let bytes = 0;
  let rest = '';
  for await (const piece of createReadStream(file, { highWaterMark: 4 * 1024 * 1024 })) {
    bytes += (piece as Buffer).length;
    const text = rest + (piece as Buffer).toString('latin1');
    take(text, traces);
    rest = text.slice(-overlap);
  }
  return { bytes, traces };
}

function take(text: string, traces: Map<string, number>): void {
  const add = (trace: string) => traces.set(trace, (traces.get(trace) ?? 0) + 1);
  for (const [whole] of text.matchAll(patterns.text)) add(whole);
  for (const [whole] of text.matchAll(patterns.digits)) add(Buffer.from(whole, 'hex').toString());
  for (const [whole] of text.matchAll(patterns.address)) add(whole);
  for (const [, groups = ''] of text.matchAll(patterns.stored)) {
    const digits = Buffer.from(groups, 'latin1').toString('hex');
    add(`2001:db8:${digits.slice(0, 4)}:${digits.slice(4)}::1`);
  }
}

/** Whose trace it is. */
export function isTraceOf(trace: string, isMeant: (person: number) => boolean): boolean {
  if (trace.startsWith('zq')) return isMeant(Number.parseInt(trace.slice(4), 16));
  const [, , high = '0', low = '0'] = trace.split(':');
  const [upper, lower] = [Number.parseInt(high, 16) - 0x1000, Number.parseInt(low, 16) - 0x1000];
  return upper >= 0 && lower >= 0 && isMeant(upper * 0x1000 + lower);
}
