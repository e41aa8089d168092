// Record format of the spool: length, checksum, text. A segment begins as zeros, so a length of zero is its end; so is a record
// that a power cut left half written.
import { crc32 } from 'node:zlib';

const headerBytes = 8;

/** The limit for one record; records are far below it (see login-record.ts). */
export const maxFrameBytes = 8192;

/** The checksum begins with the segment's number, so that old content of the disk is not read as a record. */
export function encodeFrame(text: string, segment: number): Buffer {
  const length = Buffer.byteLength(text);
  if (length > maxFrameBytes - headerBytes) throw new Error('A login record is too long for the spool.');
  const frame = Buffer.allocUnsafe(headerBytes + length);
  frame.writeUInt32LE(length, 0);
  frame.write(text, headerBytes);
  frame.writeUInt32LE(crc32(frame.subarray(headerBytes), segment), 4);
  return frame;
}

export interface Frames {
  readonly texts: readonly string[];
  /** The number of bytes that they take. */
  readonly bytes: number;
}

/** Decodes the whole frames at the beginning of the bytes, up to a limit. */
export function decodeFrames(bytes: Buffer, segment: number, most: number): Frames {
  const texts: string[] = [];
  let at = 0;
  while (texts.length < most && at + headerBytes <= bytes.length) {
    const length = bytes.readUInt32LE(at);
    const end = at + headerBytes + length;
    if (length === 0 || length > maxFrameBytes - headerBytes || end > bytes.length) break;
    const content = bytes.subarray(at + headerBytes, end);
    if (crc32(content, segment) !== bytes.readUInt32LE(at + 4)) break;
    texts.push(content.toString());
    at = end;
  }
  return { texts, bytes: at };
}
