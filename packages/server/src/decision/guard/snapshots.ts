// Everything that access consists of, from this instance's memory, as lines of JSON. The last line bears the revision: a
// snapshot that is cut off has none, and counts for nothing. Guards that start together share one.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as turnOver } from 'node:timers/promises';
import { type AccessSource, type Piece, type Revision, snapshotEndOf } from '@portcullis/gate';

export interface Snapshots {
  send(response: ServerResponse, asked: SnapshotAsked): Promise<void>;
}

interface SnapshotAsked {
  readonly atLeast: number;
  /** A guard of an earlier version could not read them. */
  readonly withTemporary: boolean;
}

interface Snapshot {
  readonly revision: Revision;
  readonly lines: readonly { readonly kind: Piece['kind']; readonly text: Buffer }[];
}

/** What changed since is sent to the guard when it asks for its lease. */
const keptMilliseconds = 2000;

export function createSnapshots(readAll: AccessSource['readAll'], monotonic: () => number): Snapshots {
  let kept:
    | { readonly atLeast: number; readonly at: number; readonly snapshot: Promise<Snapshot> }
    | undefined;

  async function make(atLeast: number): Promise<Snapshot> {
    const lines: Snapshot['lines'][number][] = [];
    const revision = await readAll(async (piece) => {
      lines.push({ kind: piece.kind, text: Buffer.from(`${JSON.stringify(piece)}\n`) });
      // Requests go first.
      await turnOver();
    }, atLeast);
    return { revision, lines };
  }

  async function take(atLeast: number): Promise<Snapshot> {
    if (kept === undefined || kept.atLeast < atLeast || monotonic() - kept.at > keptMilliseconds) {
      const made = { atLeast, at: monotonic(), snapshot: make(atLeast) };
      kept = made;
      const forget = () => {
        if (kept === made) kept = undefined;
      };
      // Not for longer than it is given: there may be millions of ended tokens.
      made.snapshot.then(() => setTimeout(forget, keptMilliseconds).unref(), forget);
    }
    return await kept.snapshot;
  }

  return {
    async send(response, { atLeast, withTemporary }) {
      const { revision, lines } = await take(atLeast);
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
      for (const { kind, text } of lines) {
        if (kind === 'temporary_rules' && !withTemporary) continue;
        // Waits for a slow reader, and fails with it.
        gone.signal.throwIfAborted();
        if (!response.write(text)) await once(response, 'drain', { signal: gone.signal });
      }
      response.end(`${JSON.stringify(snapshotEndOf(revision))}\n`);
    },
  };
}
