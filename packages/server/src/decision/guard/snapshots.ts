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

interface Making {
  readonly at: number;
  readonly snapshot: Promise<Snapshot>;
}

/** What changed since is sent to the guard when it asks for its lease. */
const givenMilliseconds = 20_000;
/** For guards that have begun to load it; with a newer one they go on with what they have. */
const keptMilliseconds = 60_000;
const mostKept = 2;
const partCharacters = 1024 * 1024;
const compress = promisify(gzip);

export function createSnapshots(readAll: AccessSource['readAll'], monotonic: () => number): Snapshots {
  let newest: Making | undefined;
  const kept = new Set<Snapshot>();

  function begin(atLeast: number): Making {
    const making = { at: monotonic(), snapshot: make(atLeast) };
    const forget = () => {
      if (newest === making) newest = undefined;
    };
    making.snapshot.then((snapshot) => {
      kept.add(snapshot);
      for (const old of [...kept].slice(0, -mostKept)) kept.delete(old);
      setTimeout(() => {
        kept.delete(snapshot);
        forget();
      }, keptMilliseconds).unref();
    }, forget);
    return making;
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
      for (;;) {
        if (newest === undefined || monotonic() - newest.at > givenMilliseconds) newest = begin(atLeast);
        const making = newest;
        const { manifest } = await making.snapshot;
        if (manifest.n >= atLeast) return manifest;
        // Others may have waited for the same one.
        if (newest === making) newest = begin(atLeast);
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
