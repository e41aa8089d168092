// A Postgres that lives in this process and keeps everything in memory; others reach it as they would any Postgres.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { findPglite } from './find-pglite.ts';

export interface InnerPostgres {
  readonly url: string;
  /** Everything that it holds is gone. */
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

/** Postgres runs here for minutes: to optimise its code (1.3 s of a processor) takes longer than what that saves. */
function compileOnce(): void {
  for (const flag of ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering'])
    setFlagsFromString(flag);
}
