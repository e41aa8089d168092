// What a guard loads when it starts, from this instance's memory: parts that never change, named by the hash of their bytes,
// and the list of those that make up a revision. Guards that start together share them.
import { createHash } from 'node:crypto';
import { setImmediate as turnOver } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { AccessSource, Manifest } from '@portcullis/gate';

export interface Snapshots {
  readManifest(atLeast: number): Promise<Manifest>;
  /** Undefined where it is of no snapshot that is kept: there is a newer one. */
  findPart(hash: string): Buffer | undefined;
}

interface Snapshot {
  readonly manifest: Manifest;
  readonly parts: ReadonlyMap<string, Buffer>;
}

/** A guard that loads it is sent what changed since, and an instance remembers five times as many changes. */
const mostBehind = 200;
/** After it was last asked for: there may be millions of ended tokens. */
const keptMilliseconds = 60_000;
/** With a newer one, guards that have begun with the one before go on with what they have. */
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
      // Requests go first.
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
        // Where another guard waits for one that is too old for this one, the next turn makes its own.
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
