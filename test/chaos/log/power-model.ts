// What of a folder would be left after a power cut. Kept per file: the pages that were written since its last sync, as
// they were before; where that failed, they are lost for certain. Kept per folder: the names that were made, changed or removed since its last sync. At the cut any
// of that is put back, page by page (or by sectors of a page) and name by name, whatever came first; what was synced stays.
import {
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '../../fuzz/random.ts';

export const pageBytes = 4096;
const sectorBytes = 512;

type Pages = Map<number, Buffer>;

interface FileState {
  /** Of our own: a file that was closed is not on the disk by that. */
  readonly fd: number;
  dirty: Pages;
  /** Being synced: not on the disk until that has returned. */
  readonly flushing: Set<Pages>;
  /** Their sync failed, and the kernel takes them for clean: only if they are written again are they synced. */
  readonly abandoned: Pages;
}

interface Handle {
  readonly fd: number;
}

interface Name {
  readonly folder: string;
  putBack(): void;
}

export interface PowerModel {
  noteWrite(handle: Handle, position: number, length: number): void;
  /** The result is called when the sync has succeeded. */
  noteSync(handle: Handle): () => void;
  /** The sync fails with EIO. */
  noteFailedSync(handle: Handle): void;
  noteFolderSync(folder: string): () => void;
  noteMade(path: string): void;
  noteRenamed(from: string, to: string): void;
  /** Before it is removed: it is kept beside. */
  noteRemoval(path: string): void;
  /** Puts back what was not synced, as far as chance wants it. */
  cut(random: Random): { pages: number; names: number };
}

/** `shadow` is a folder on the same disk, outside of what is watched. */
export function createPowerModel(shadow: string): PowerModel {
  const files = new Map<object, FileState>();
  let names: Name[] = [];
  let kept = 0;

  function stateOf(handle: Handle): FileState {
    const state = files.get(handle) ?? {
      fd: openSync(`/proc/self/fd/${handle.fd}`, 'r+'),
      dirty: new Map(),
      flushing: new Set(),
      abandoned: new Map(),
    };
    files.set(handle, state);
    return state;
  }

  function keepBeside(path: string): void {
    kept += 1;
    const beside = join(shadow, String(kept));
    linkSync(path, beside);
    names.push({
      folder: dirname(path),
      putBack() {
        mkdirSync(dirname(path), { recursive: true });
        if (!existsSync(path)) linkSync(beside, path);
      },
    });
  }

  return {
    noteWrite(handle, position, length) {
      const { fd, dirty } = stateOf(handle);
      const last = Math.floor((position + length - 1) / pageBytes);
      for (let page = Math.floor(position / pageBytes); page <= last; page += 1) {
        if (dirty.has(page)) continue;
        const before = Buffer.alloc(pageBytes);
        readSync(fd, before, 0, pageBytes, page * pageBytes);
        dirty.set(page, before);
      }
    },
    noteSync(handle) {
      const state = stateOf(handle);
      const flushed = state.dirty;
      state.dirty = new Map();
      state.flushing.add(flushed);
      return () => {
        state.flushing.delete(flushed);
        for (const page of flushed.keys()) state.abandoned.delete(page);
      };
    },
    noteFailedSync(handle) {
      const state = stateOf(handle);
      for (const [page, before] of state.dirty)
        if (!state.abandoned.has(page)) state.abandoned.set(page, before);
      state.dirty = new Map();
    },
    noteFolderSync(folder) {
      const synced = new Set(names.filter((name) => name.folder === folder));
      return () => {
        names = names.filter((name) => !synced.has(name));
      };
    },
    noteMade(path) {
      names.push({
        folder: dirname(path),
        putBack: () => rmSync(path, { recursive: true, force: true }),
      });
    },
    noteRenamed(from, to) {
      names.push({
        folder: dirname(to),
        putBack: () => (existsSync(to) ? renameSync(to, from) : undefined),
      });
    },
    noteRemoval(path) {
      const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
      const paths = isFolder ? readdirSync(path).map((name) => join(path, name)) : [path];
      for (const one of paths.filter((some) => some.endsWith('.log') && existsSync(some))) keepBeside(one);
    },
    cut(random) {
      // Some cuts lose everything, some nothing, most a part.
      const lossPercent = random.pick([100, 100, 50, 50, 10, 0]);
      const isLost = () => random.below(100) < lossPercent;
      let pages = 0;
      for (const { fd, dirty, flushing, abandoned } of files.values()) {
        for (const [page, before] of [dirty, ...flushing].flatMap((some) => [...some])) {
          if (!isLost()) continue;
          pages += 1;
          putBackPage(fd, page, before, random.once(3) ? random : undefined);
        }
        pages += abandoned.size;
        for (const [page, before] of abandoned) putBackPage(fd, page, before);
      }
      const lost = names.filter(isLost);
      for (const { putBack } of lost.toReversed()) putBack();
      return { pages, names: lost.length };
    },
  };
}

/** A disk writes sectors: a page may be torn between them, by chance. */
function putBackPage(fd: number, page: number, before: Buffer, chance?: Random): void {
  for (let at = 0; at < pageBytes; at += sectorBytes)
    if (chance === undefined || chance.once(2)) writeSync(fd, before, at, sectorBytes, page * pageBytes + at);
}
