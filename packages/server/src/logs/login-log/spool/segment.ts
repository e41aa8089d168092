// A segment file of the spool. Its disk space is allocated when it is created, so that later writes cannot run out of space.
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeFrames, type Frames, maxFrameBytes } from './frame.ts';

export const segmentBytes = 1024 * 1024;

export interface SegmentPlace {
  readonly folder: string;
  readonly number: number;
}

const suffix = '.log';
/** The most bytes of one read: about as many records as one insert has. */
const chunkBytes = 512 * 1024;
/** More than most records take. A read for few records is small, because all that is read has to be garbage collected. */
const usualFrameBytes = 1024;
const zeros = Buffer.alloc(segmentBytes);

export function pathOf({ folder, number }: SegmentPlace): string {
  return join(folder, `${String(number).padStart(8, '0')}${suffix}`);
}

/** In the order in which they were created. */
export async function listSegments(folder: string): Promise<SegmentPlace[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(suffix)).sort();
  return names.map((name) => ({ folder, number: Number.parseInt(name, 10) }));
}

/** Resolves when the file and its name would survive a power cut. */
export async function createSegment(place: SegmentPlace): Promise<FileHandle> {
  const file = await open(pathOf(place), 'wx+', 0o600);
  try {
    await writeAll(file, zeros, 0);
    await file.sync();
    await syncFolder(place.folder);
    return file;
  } catch (error) {
    await file.close().catch(() => {});
    await deleteSegment(place).catch(() => {});
    throw error;
  }
}

export async function deleteSegment(place: SegmentPlace): Promise<void> {
  await rm(pathOf(place), { force: true });
}

/** Resolves when the bytes are on the disk. */
export async function writeThrough(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  await writeAll(file, bytes, position);
  await file.datasync();
}

/** The records from a position on, as many as are read and inserted at once. */
export async function readFrames(
  file: FileHandle,
  { number, from, until, most }: { number: number; from: number; until: number; most: number },
): Promise<Frames> {
  const enough = Math.max(maxFrameBytes, most * usualFrameBytes);
  const buffer = Buffer.allocUnsafe(Math.min(enough, chunkBytes, until - from));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
  return decodeFrames(buffer.subarray(0, bytesRead), number, most);
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
