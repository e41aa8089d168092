// Reads records back from the spool, in their order, and deletes a segment when all of it was stored.
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
  /** Where its records end. */
  end: number;
  /** How far they are stored. */
  stored: number;
  /** Whether there may be more of them. */
  isOpen: boolean;
}

/** Records that are read and stored together. */
export interface SpoolBatch {
  readonly texts: readonly string[];
  /** They are stored: the spool lets go of them. */
  done(): Promise<void>;
}

export interface SpoolReader {
  /** The records that come next; undefined where there is none now. The same ones again until they are done. */
  next(most: number): Promise<SpoolBatch | undefined>;
  /** At most so many bytes are still to be stored. */
  readonly waitingBytes: number;
  close(): Promise<void>;
}

/** Of a spool that is shared, somebody else may store the records too, and delete them. */
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
    // One that cannot be deleted must not hold up those behind it; at worst it is stored again, for nothing.
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
      // Somebody deleted it. Those behind it are still there.
      segment.stored = segment.end;
      if (!isShared) throw cause;
      return undefined;
    });
    if (file === undefined) return await next(most);
    const { texts, bytes } = await readFrames(file, { number, from, until, most });
    if (texts.length === 0) {
      // Zeros, or what was being written when the power went: nothing that was answered lies behind it.
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

/** What an instance left behind that has ended. */
export async function openLeftBehind(folder: string): Promise<SpoolReader> {
  const places = await listSegments(folder);
  return createSpoolReader(
    places.map((place) => ({ ...place, end: segmentBytes, stored: 0, isOpen: false })),
    true,
  );
}
