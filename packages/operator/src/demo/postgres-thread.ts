// The other side of start-postgres.ts: Postgres in a thread of its own, so that its work keeps no request waiting.
import { existsSync, readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { zstdDecompressSync } from 'node:zlib';
import { createPostgres } from './create-postgres.ts';

const { password, data } = workerData as { readonly password: string; readonly data: string };
// Made when the package was built (write-postgres-data.ts); without it, a cluster is made now.
const prepared = existsSync(data) ? { loadDataDir: new Blob([zstdDecompressSync(readFileSync(data))]) } : {};
const { url } = await createPostgres(password, prepared);
parentPort?.postMessage(url);
