// Takes a PNG apart for the tests: its chunks as they stand, with the checksum each one carries.

import { inflateSync } from 'node:zlib';

export interface Chunk {
  readonly name: string;
  readonly data: Buffer;
  readonly checked: Buffer;
  readonly checksum: number;
}

export function readChunks(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  let at = 8;
  while (at < png.length) {
    const end = at + 8 + png.readUInt32BE(at);
    chunks.push({
      name: png.toString('latin1', at + 4, at + 8),
      data: png.subarray(at + 8, end),
      checked: png.subarray(at + 4, end),
      checksum: png.readUInt32BE(end),
    });
    at = end + 4;
  }
  return chunks;
}

export function readRows(png: Buffer): Buffer {
  return inflateSync(
    Buffer.concat(readChunks(png).flatMap(({ name, data }) => (name === 'IDAT' ? [data] : []))),
  );
}
