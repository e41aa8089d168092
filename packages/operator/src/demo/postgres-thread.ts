// The other side of start-postgres.ts: Postgres in a thread of its own, so that its work keeps no request waiting.
import { existsSync, readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { zstdDecompressSync } from 'node:zlib';
import { createPostgres } from './create-postgres.ts';

interface Given {
  readonly pglite: string;
  readonly password: string;
  readonly data: string;
}

const { pglite, password, data } = workerData as Given;
// Made when the package was built (write-postgres-data.ts); without it, a cluster is made now.
const prepared = existsSync(data) ? { loadDataDir: new Blob([zstdDecompressSync(readFileSync(data))]) } : {};
const { url } = await createPostgres(pglite, password, prepared);
parentPort?.postMessage(url);
