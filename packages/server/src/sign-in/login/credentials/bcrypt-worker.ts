// The worker thread of bcrypt.ts: compares bcrypt hashes, and nothing else.
import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';
import type { Comparison } from './bcrypt.ts';

parentPort?.on('message', ({ id, password, stored }: Comparison) =>
  parentPort?.postMessage({ id, matches: compareSync(password, stored) }),
);
