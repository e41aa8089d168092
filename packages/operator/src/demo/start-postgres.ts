// Starts a Postgres in a thread of this process, in memory; clients connect to it like to any Postgres.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { findPglite } from './find-pglite.ts';

export interface InnerPostgres {
  readonly url: string;
  /** All its data is lost. */
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<InnerPostgres> {
  const pglite = await findPglite((line) => process.stderr.write(`${line}\n`));
  const password = randomBytes(15).toString('base64url');
  const file = new URL(`postgres-thread${extname(import.meta.url)}`, import.meta.url);
  const data = fileURLToPath(new URL('postgres-data.tar.zst', import.meta.url));
  compileOnce();
  const thread = new Worker(file, { workerData: { pglite, password, data } });
  const [url] = (await once(thread, 'message')) as [string];
  return {
    url,
    async stop() {
      await thread.terminate();
    },
  };
}

/**
 * Turns off the optimising compiler of WebAssembly: Postgres runs for minutes here, and optimising its code (1.3 s of
 * CPU) costs more than it saves.
 */
function compileOnce(): void {
  for (const flag of ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering'])
    setFlagsFromString(flag);
}
