// Writes a database of addresses in the format of MaxMind, just large enough for a test.
// https://maxmind.github.io/MaxMind-DB/
import { SocketAddress } from 'node:net';

type Value = string | number | readonly Value[] | { readonly [key: string]: Value };

const recordBytes = 3;
const separator = Buffer.alloc(16);
const metadataMarker = Buffer.from('abcdef4d61784d696e642e636f6d', 'hex');

/** By network, such as `192.0.2.0/24`; networks must not lie in each other. */
export function writeMmdb(entries: Readonly<Record<string, Value>>): Buffer {
  const nodes: [number, number][] = [[-1, -1]];
  const values: Buffer[] = [];
  let dataLength = 0;
  for (const [network, value] of Object.entries(entries)) {
    const bits = bitsOf(network);
    let node = 0;
    bits.forEach((bit, index) => {
      const record = nodes[node] as [number, number];
      if (index === bits.length - 1) {
        // Marked by a number below -1 until the count of nodes is known.
        record[bit] = -2 - dataLength;
        return;
      }
      if (record[bit] === -1) record[bit] = nodes.push([-1, -1]) - 1;
      node = record[bit];
    });
    const encoded = encode(value);
    values.push(encoded);
    dataLength += encoded.length;
  }
  const tree = Buffer.alloc(nodes.length * 2 * recordBytes);
  nodes.flat().forEach((record, index) => {
    tree.writeUIntBE(placeOf(record, nodes.length), index * recordBytes, recordBytes);
  });
  return Buffer.concat([tree, separator, ...values, metadataMarker, encode(metadataOf(nodes.length))]);
}

function placeOf(record: number, nodeCount: number): number {
  if (record >= 0) return record;
  return record === -1 ? nodeCount : nodeCount + separator.length + (-2 - record);
}

function metadataOf(nodeCount: number): Value {
  return {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: 'Test-Country',
    description: {},
    ip_version: 6,
    languages: [],
    node_count: nodeCount,
    record_size: recordBytes * 8,
  };
}

/** An IPv4 address is the IPv6 address with the same last 32 bits. */
function bitsOf(network: string): (0 | 1)[] {
  const [address = '', length = ''] = network.split('/');
  const isShort = address.includes('.');
  const text = new SocketAddress({ address: isShort ? `::${address}` : address, family: 'ipv6' }).address;
  const [head = '', tail = ''] = expandDotted(text).split('::');
  const left = head.split(':').filter(Boolean);
  const right = tail.split(':').filter(Boolean);
  const groups = [...left, ...Array(8 - left.length - right.length).fill('0'), ...right];
  const bits = groups.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('');
  return Array.from(bits.slice(0, Number(length) + (isShort ? 96 : 0)), (bit) => (bit === '1' ? 1 : 0));
}

function expandDotted(address: string): string {
  return address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a, b, c, d] = parts.map((part) => Number(part).toString(16).padStart(2, '0'));
    return `${a}${b}:${c}${d}`;
  });
}

function encode(value: Value): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(6, bytes.length), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([Buffer.of(value.length, 4), ...value.map(encode)]);
  const pairs = Object.entries(value);
  return Buffer.concat([
    control(7, pairs.length),
    ...pairs.flatMap(([key, part]) => [encode(key), encode(part)]),
  ]);
}

/** Sizes below 29 fit into the first byte; no test needs more. */
function control(type: number, size: number): Buffer {
  if (size > 28) throw new RangeError(`A size of ${size} does not fit.`);
  return Buffer.of((type << 5) | size);
}
