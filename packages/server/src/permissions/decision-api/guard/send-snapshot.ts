// Everything that access consists of at one moment, as lines of JSON. The last line bears the revision: a snapshot that
// is cut off has none, and counts for nothing.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AccessSource, snapshotEndOf } from '@portcullis/gate';

export async function sendSnapshot(
  source: AccessSource,
  response: ServerResponse,
  { withTemporary }: { readonly withTemporary: boolean },
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const revision = await source.readAll(async (piece) => {
    if (piece.kind === 'temporary_rules' && !withTemporary) return;
    if (!response.headersSent)
      response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    // Waits for a slow reader, and fails with it: the transaction must not stay open for somebody who has left.
    gone.signal.throwIfAborted();
    if (!response.write(`${JSON.stringify(piece)}\n`)) await once(response, 'drain', { signal: gone.signal });
  });
  response.end(`${JSON.stringify(snapshotEndOf(revision))}\n`);
}
