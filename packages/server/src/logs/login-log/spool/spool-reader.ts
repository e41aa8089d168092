// Reads records back from the spool in their order, and deletes a segment when all of it is stored.
import { type FileHandle, open } from 'node:fs/promises';
import {
  deleteSegment,
  listSegments,
  pathOf,
  readFrames,
  type SegmentPlace,
  segmentBytes,
} from './segment.ts';

/** A segment as its reader sees it. */
export interface SpooledSegment extends SegmentPlace {
  /** The end of its records. */
  end: number;
  /** The position up to which they are stored. */
  stored: number;
  /** Whether more records can follow. */
  isOpen: boolean;
}

/** A batch: records that are read and stored together. */
export interface SpoolBatch {
  readonly texts: readonly string[];
  /** The records are stored: the spool drops them. */
  done(): Promise<void>;
}

export interface SpoolReader {
  /** The next records; undefined when there are none now. Returns the same ones again until they are done. */
  next(most: number): Promise<SpoolBatch | undefined>;
  /** An upper bound of the bytes that are still to be stored. */
  readonly waitingBytes: number;
  close(): Promise<void>;
}

/** Other processes can store and delete the records of a shared spool too. */
export function createSpoolReader(segments: SpooledSegment[], isShared = false): SpoolReader {
  let reading: { readonly segment: SpooledSegment; readonly file: FileHandle } | undefined;

  async function close(): Promise<void> {
    const file = reading?.file;
    reading = undefined;
    await file?.close();
  }

  async function fileOf(segment: SpooledSegment): Promise<FileHandle> {
    if (reading?.segment !== segment) {
      await close();
      reading = { segment, file: await open(pathOf(segment), 'r') };
    }
    return reading.file;
  }

  async function letGoOfFirst(): Promise<void> {
    const [segment] = segments;
    if (segment === undefined || segment.isOpen || segment.stored < segment.end) return;
    // A segment that cannot be deleted must not block those behind it; at worst it is stored again, without effect.
    await close().catch(() => {});
    await deleteSegment(segment).catch(() => {});
    segments.shift();
  }

  async function next(most: number): Promise<SpoolBatch | undefined> {
    await letGoOfFirst();
    const [segment] = segments;
    if (segment === undefined || segment.stored === segment.end) return undefined;
    const { number, stored: from, end: until } = segment;
    const file = await fileOf(segment).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') throw cause;
      // Another process deleted it. The segments behind it still exist.
      segment.stored = segment.end;
      if (!isShared) throw cause;
      return undefined;
    });
    if (file === undefined) return await next(most);
    const { texts, bytes } = await readFrames(file, { number, from, until, most });
    if (texts.length === 0) {
      // Zeros, or a write that a power cut interrupted: no answered record is behind it.
      segment.stored = segment.end;
      return await next(most);
    }
    return {
      texts,
      async done() {
        segment.stored += bytes;
        await letGoOfFirst();
      },
    };
  }

  return {
    next,
    close,
    get waitingBytes() {
      return segments.reduce((sum, { end, stored }) => sum + end - stored, 0);
    },
  };
}

/** Opens the spool that an ended instance left behind. */
export async function openLeftBehind(folder: string): Promise<SpoolReader> {
  const places = await listSegments(folder);
  return createSpoolReader(
    places.map((place) => ({ ...place, end: segmentBytes, stored: 0, isOpen: false })),
    true,
  );
}
