// Compares imported bcrypt hashes in a worker thread: on the event loop, bcryptjs would block all other requests. The thread
// starts with the first comparison; a service without imported hashes never starts it.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

export interface Comparison {
  readonly id: number;
  readonly password: string;
  readonly stored: string;
}

export interface Bcrypt {
  matches(password: string, stored: string): Promise<boolean>;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (matches: boolean) => void;
  readonly reject: (error: Error) => void;
}

/** bcrypt ignores the bytes after these. */
const maxBytes = 72;

export function createBcrypt(): Bcrypt {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let lastId = 0;

  function failAll(error: Error): void {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  function start(): Worker {
    const started = new Worker(new URL(`bcrypt-worker${extname(import.meta.url)}`, import.meta.url));
    started.on('message', ({ id, matches }: { id: number; matches: boolean }) => {
      waiting.get(id)?.resolve(matches);
      waiting.delete(id);
    });
    started.on('error', failAll);
    started.on('exit', () => failAll(new Error('The thread for bcrypt has ended.')));
    started.unref();
    return started;
  }

  return {
    async matches(password, stored) {
      worker ??= start();
      lastId += 1;
      const id = lastId;
      const { promise, resolve, reject } = Promise.withResolvers<boolean>();
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, password, stored } satisfies Comparison);
      // bcrypt repeats a short password behind a NUL byte, so a password that contains NUL could match a shorter one.
      const isWhole = Buffer.byteLength(password) <= maxBytes && !password.includes('\0');
      return (await promise) && isWhole;
    },
    async close() {
      await worker?.terminate();
    },
  };
}
