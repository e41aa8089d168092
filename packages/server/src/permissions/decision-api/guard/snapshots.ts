// Cache of access snapshots for starting guards, built from this instance's memory. A snapshot is a manifest and immutable
// parts, each named by the hash of its bytes. Guards that start together share a snapshot.
import { createHash } from 'node:crypto';
import { setImmediate as turnOver } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { AccessSource, Manifest } from '@portcullis/gate';

export interface Snapshots {
  readManifest(atLeast: number): Promise<Manifest>;
  /** Undefined if no cached snapshot contains the part: a newer one has replaced it. */
  findPart(hash: string): Buffer | undefined;
}

interface Snapshot {
  readonly manifest: Manifest;
  readonly parts: ReadonlyMap<string, Buffer>;
}

/**
 * How many revisions a cached snapshot can be behind. A guard that loads it then gets the newer changes, of which an
 * instance keeps five times as many.
 */
const mostBehind = 200;
/** Snapshots are dropped this long after the last request, because they can contain millions of revoked tokens. */
const keptMilliseconds = 60_000;
/** The previous snapshot is kept too, so that guards that have started to load it can finish. */
const mostKept = 2;
const partCharacters = 1024 * 1024;
const compress = promisify(gzip);

export function createSnapshots(readAll: AccessSource['readAll'], newest: () => number): Snapshots {
  let making: Promise<Snapshot> | undefined;
  let kept: readonly Snapshot[] = [];
  const forgetting = setTimeout(() => {
    kept = [];
  }, keptMilliseconds).unref();

  function findKept(atLeast: number): Snapshot | undefined {
    const least = Math.max(atLeast, newest() - mostBehind);
    return kept.find(({ manifest }) => manifest.n >= least);
  }

  function begin(atLeast: number): Promise<Snapshot> {
    return make(atLeast)
      .then((snapshot) => {
        kept = [snapshot, ...kept].slice(0, mostKept);
        return snapshot;
      })
      .finally(() => {
        making = undefined;
      });
  }

  async function make(atLeast: number): Promise<Snapshot> {
    const parts = new Map<string, Buffer>();
    let lines: string[] = [];
    let characters = 0;
    async function close(): Promise<void> {
      const part = await compress(lines.join('\n'), { level: 1 });
      parts.set(createHash('sha256').update(part).digest('hex'), part);
      lines = [];
      characters = 0;
    }
    const { n, mark } = await readAll(async (piece) => {
      const line = JSON.stringify(piece);
      lines.push(line);
      characters += line.length;
      if (characters >= partCharacters) await close();
      // Yield to other requests.
      else await turnOver();
    }, atLeast);
    if (lines.length > 0) await close();
    return { manifest: { n, mark, parts: [...parts.keys()] }, parts };
  }

  return {
    async readManifest(atLeast) {
      forgetting.refresh();
      for (;;) {
        const found = findKept(atLeast);
        if (found !== undefined) return found.manifest;
        // If the snapshot that is being built is too old for this guard, the next iteration builds another one.
        making ??= begin(atLeast);
        const { manifest } = await making;
        if (manifest.n >= atLeast) return manifest;
      }
    },
    findPart(hash) {
      for (const { parts } of kept) {
        const part = parts.get(hash);
        if (part !== undefined) return part;
      }
      return undefined;
    },
  };
}
