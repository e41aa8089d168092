// PNG encoder for greyscale pictures of 16 levels: signature, IHDR, IDAT and IEND (PNG specification, third edition). It never
// writes another chunk, so a picture contains nothing but its pixels.

import { constants, crc32, deflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const bitDepth = 4;
const greyscale = 0;

/** Each entry of `levels` is a pixel from 0, black, to 15, white, row by row. */
export function encodePng(width: number, height: number, levels: Uint8Array): Buffer {
  if (levels.length !== width * height) throw new RangeError('The pixels do not fill the picture.');
  return Buffer.concat([
    signature,
    chunk('IHDR', header(width, height)),
    chunk('IDAT', compress(packRows(width, height, levels))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function header(width: number, height: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data[8] = bitDepth;
  data[9] = greyscale;
  return data;
}

/** Two pixels per byte. Each row begins with filter type 0, which the specification recommends below 8 bits. */
function packRows(width: number, height: number, levels: Uint8Array): Buffer {
  const rowBytes = 1 + Math.ceil(width / 2);
  const rows = Buffer.alloc(rowBytes * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * rowBytes + 1 + (x >> 1);
      const level = (levels[y * width + x] ?? 0) & 15;
      rows[at] = (rows[at] ?? 0) | (x % 2 === 0 ? level << 4 : level);
    }
  }
  return rows;
}

/**
 * The grain has no repeated sequences: without the search for them, this takes two thirds of the time, and the file is no
 * larger.
 */
function compress(rows: Buffer): Buffer {
  return deflateSync(rows, { strategy: constants.Z_HUFFMAN_ONLY });
}

function chunk(name: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(data.length + 12);
  framed.writeUInt32BE(data.length, 0);
  framed.write(name, 4, 'latin1');
  data.copy(framed, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, data.length + 8)), data.length + 8);
  return framed;
}
