import { crc32 } from 'node:zlib';
import { expect, it } from 'vitest';
import { encodePng } from '../src/encode-png.ts';
import { readChunks, readRows } from './read-png.ts';

it.each([[], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6, 7]])(
  'refuses pixels that do not fill the picture: %j',
  (...levels) => {
    expect(() => encodePng(3, 2, Uint8Array.from(levels))).toThrow(RangeError);
  },
);

it('packs two pixels a byte and starts each row with no filter', () => {
  const png = encodePng(3, 2, Uint8Array.from([0, 15, 7, 1, 2, 3]));
  expect([...readRows(png)]).toEqual([0, 0x0f, 0x70, 0, 0x12, 0x30]);
});

it('writes a header, the pixels and an end, each with its checksum', () => {
  const chunks = readChunks(encodePng(3, 2, new Uint8Array(6)));
  expect(chunks.map(({ name }) => name)).toEqual(['IHDR', 'IDAT', 'IEND']);
  expect([...(chunks[0]?.data ?? [])]).toEqual([0, 0, 0, 3, 0, 0, 0, 2, 4, 0, 0, 0, 0]);
  for (const { checked, checksum } of chunks) expect(checksum).toBe(crc32(checked));
});
