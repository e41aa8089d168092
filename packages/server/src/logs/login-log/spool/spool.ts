// The spool of a running instance (write-ahead file): an append resolves when the item is on the disk. Items that arrive while
// the disk is busy are written together. The last eighth of its size, and a file whose space is allocated from the start, are
// reserved for items that must be kept: a flood of failures cannot displace a successful login.
import { type FileHandle, rename } from 'node:fs/promises';
import { encodeFrame, maxFrameBytes } from './frame.ts';
import { createSegment, deleteSegment, pathOf, segmentBytes, syncFolder, writeThrough } from './segment.ts';
import { createSpoolReader, type SpooledSegment, type SpoolReader } from './spool-reader.ts';

export interface Spool<Item> extends SpoolReader {
  /** Resolves when the item is on the disk; rejects when it is not, or may not be. */
  append(item: Item, isKept: boolean): Promise<void>;
  /**
   * Closes the current file when all of it is stored, although it has room: it can hold records of a person who was erased.
   * Returns false when it must be called again later.
   */
  renew(): Promise<boolean>;
}

interface SpoolOptions<Item> {
  readonly folder: string;
  readonly maxBytes: number;
  /** Called in the order in which the items are written. */
  readonly encode: (item: Item) => string;
  /** Called when it is unknown whether the items that were encoded since the last success are on the disk. */
  readonly onBroken: (cause: unknown) => void;
  readonly onAppended: () => void;
  readonly monotonic: () => number;
}

/** The spool has no room for items that need not be kept. */
export class SpoolFull extends Error {
  constructor(cause?: unknown) {
    super('The spool of the login log is full.', { cause });
    this.name = 'SpoolFull';
  }
}

interface Waiting<Item> {
  readonly item: Item;
  readonly isKept: boolean;
  resolve(): void;
  reject(cause: unknown): void;
}

interface OpenSegment extends SpooledSegment {
  readonly file: FileHandle;
  /** Whether it takes only items that must be kept. */
  readonly isReserve: boolean;
}

const retryMilliseconds = 250;

export async function openSpool<Item>(options: SpoolOptions<Item>): Promise<Spool<Item>> {
  const { folder, encode, onBroken, onAppended, monotonic } = options;
  const mostSegments = Math.floor(options.maxBytes / segmentBytes);
  const mostForAll = Math.floor((mostSegments * 7) / 8);
  const segments: SpooledSegment[] = [];
  const waiting: Waiting<Item>[] = [];
  let lastNumber = 0;
  let current: OpenSegment | undefined;
  let prepared: Promise<OpenSegment | undefined> | undefined;
  let reserve: OpenSegment | undefined;
  let flushing: Promise<void> | undefined;
  let fullUntil = 0;
  let whyFull: unknown;
  let isClosed = false;

  async function create(isReserve: boolean): Promise<OpenSegment> {
    lastNumber += 1;
    const place = { folder, number: lastNumber };
    return { ...place, file: await createSegment(place), end: 0, stored: 0, isOpen: true, isReserve };
  }

  /** A segment for all items; undefined when the disk or the setting has no room. */
  async function createForAll(): Promise<OpenSegment | undefined> {
    if (segments.length >= mostForAll || monotonic() < fullUntil) return undefined;
    try {
      // First the reserve, else failures would take the last space.
      reserve ??= await create(true);
      return await create(false);
    } catch (cause) {
      whyFull = cause;
      fullUntil = monotonic() + retryMilliseconds;
      return undefined;
    }
  }

  /** A segment for items that must be kept: within the last eighth, else the reserve file. */
  async function openReserve(): Promise<OpenSegment | undefined> {
    if (segments.length < mostSegments) {
      const made = await create(true).catch(() => undefined);
      if (made !== undefined) return made;
    }
    if (reserve === undefined) return undefined;
    // Segments are replayed by their numbers.
    lastNumber += 1;
    const renamed = { ...reserve, number: lastNumber };
    await rename(pathOf(reserve), pathOf(renamed));
    reserve = undefined;
    try {
      await syncFolder(folder);
      return renamed;
    } catch (cause) {
      // After a power cut, its name would be unknown.
      await renamed.file.close().catch(() => {});
      await deleteSegment(renamed).catch(() => {});
      throw cause;
    }
  }

  async function seal(): Promise<void> {
    if (current === undefined) return;
    const { file } = current;
    current.isOpen = false;
    current = undefined;
    await file.close().catch(() => {});
  }

  async function putInUse(segment: OpenSegment): Promise<void> {
    await seal();
    current = segment;
    segments.push(segment);
  }

  async function useForAll(): Promise<boolean> {
    const segment = (await prepared) ?? (await createForAll());
    prepared = undefined;
    if (segment === undefined) return false;
    await putInUse(segment);
    return true;
  }

  /** Provides a segment that takes the waiting items, as far as possible. */
  async function makeRoom(): Promise<void> {
    if (current !== undefined && segmentBytes - current.end < maxFrameBytes) await seal();
    if (current !== undefined && !current.isReserve) return;
    if (current !== undefined && waiting.every(({ isKept }) => isKept)) return;
    if (await useForAll()) return;
    if (current !== undefined || !waiting.some(({ isKept }) => isKept)) return;
    const segment = await openReserve();
    if (segment !== undefined) await putInUse(segment);
  }

  function refuseWhere(isRefused: (one: Waiting<Item>) => boolean): void {
    const refused = waiting.filter(isRefused);
    const left = waiting.filter((one) => !isRefused(one));
    waiting.splice(0, waiting.length, ...left);
    for (const { reject } of refused) reject(new SpoolFull(whyFull));
  }

  async function writeBatch(segment: OpenSegment): Promise<void> {
    const batch: Waiting<Item>[] = [];
    try {
      const frames: Buffer[] = [];
      for (let bytes = 0; segmentBytes - segment.end - bytes >= maxFrameBytes; ) {
        const one = waiting.shift();
        if (one === undefined) break;
        batch.push(one);
        const frame = encodeFrame(encode(one.item), segment.number);
        frames.push(frame);
        bytes += frame.length;
      }
      const bytes = Buffer.concat(frames);
      await writeThrough(segment.file, bytes, segment.end);
      segment.end += bytes.length;
      for (const { resolve } of batch) resolve();
      onAppended();
    } catch (cause) {
      // Never written to again: after a failed sync, the content of the disk is unknown. The refused items are recorded elsewhere
      // or nowhere, so a replay should not find them.
      await segment.file.truncate(segment.end).catch(() => {});
      await seal();
      onBroken(cause);
      for (const { reject } of batch) reject(cause);
    }
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      await makeRoom().catch((cause: unknown) => {
        whyFull = cause;
      });
      const segment = current;
      if (segment === undefined) refuseWhere(() => true);
      else if (segment.isReserve) refuseWhere(({ isKept }) => !isKept);
      if (segment !== undefined && waiting.length > 0) await writeBatch(segment);
      if (current !== undefined && current.end > segmentBytes / 2) prepared ??= createForAll();
    }
    flushing = undefined;
  }

  const reader = createSpoolReader(segments);
  await useForAll();
  return {
    next: reader.next,
    append: (item, isKept) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new Error('The spool of the login log is closed.'));
        waiting.push({ item, isKept, resolve, reject });
        flushing ??= flush();
      }),
    get waitingBytes() {
      return reader.waitingBytes;
    },
    async renew() {
      while (flushing !== undefined) await flushing;
      if (current === undefined || current.end === 0) return true;
      if (current.stored < current.end) return false;
      await seal();
      // The drain, which stores the records, deletes it.
      onAppended();
      return true;
    },
    async close() {
      isClosed = true;
      await flushing;
      await seal();
      await (await prepared)?.file.close();
      await reserve?.file.close();
      await reader.close();
    },
  };
}
