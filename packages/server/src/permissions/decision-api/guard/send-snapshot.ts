// Streams an access snapshot as lines of JSON (NDJSON), for guards of the previous version. The last line contains the
// revision: a snapshot without it is truncated, and the guard rejects it.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AccessSource, snapshotEndOf } from '@portcullis/gate';

export async function sendSnapshot(
  source: AccessSource,
  response: ServerResponse,
  { withTemporary }: { readonly withTemporary: boolean },
): Promise<void> {
  const disconnected = new AbortController();
  response.once('close', () => disconnected.abort());
  const revision = await source.readAll(async (piece) => {
    if (piece.kind === 'temporary_rules' && !withTemporary) return;
    if (!response.headersSent)
      response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    // Backpressure: wait for a slow reader. Fail when the reader disconnects, so that the transaction does not stay open.
    disconnected.signal.throwIfAborted();
    if (!response.write(`${JSON.stringify(piece)}\n`))
      await once(response, 'drain', { signal: disconnected.signal });
  });
  response.end(`${JSON.stringify(snapshotEndOf(revision))}\n`);
}
