// The worker thread of start-postgres.ts: Postgres runs in its own thread, so that its work does not block requests.
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
// The data folder that the build of the package prepared (write-postgres-data.ts). Without it, Postgres
// initialises a cluster now.
const prepared = existsSync(data) ? { loadDataDir: new Blob([zstdDecompressSync(readFileSync(data))]) } : {};
const { url } = await createPostgres(pglite, password, prepared);
parentPort?.postMessage(url);
