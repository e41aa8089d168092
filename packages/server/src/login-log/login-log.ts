// Writes login records in the background, in batches and in order; a batch that fails is tried again.
import type { LoginAttempt } from '@portcullis/contract';
import { createLoginRecord, type LoginRecord } from './login-record.ts';
import { createUuidV7 } from './uuid-v7.ts';

export interface LoginLog {
  record(attempt: LoginAttempt): void;
  /** Resolves when everything recorded so far is stored, or cannot be. */
  close(): Promise<void>;
}

/** Spec, Events: with `logger.enableddb` off nothing is recorded. */
export const noLoginLog: LoginLog = { record() {}, close: async () => {} };

interface LoginLogOptions {
  readonly insert: (records: readonly LoginRecord[]) => Promise<void>;
  readonly instance: string;
  readonly now: () => number;
  readonly randomBytes: (size: number) => Buffer;
  readonly onFailure: (cause: unknown, waiting: number) => void;
}

const batchSize = 500;
/** A flood of attempts would otherwise cost a statement each. */
const gatherMilliseconds = 20;
const retryMilliseconds = 1000;
const closingTries = 3;

export function createLoginLog({ insert, instance, now, randomBytes, onFailure }: LoginLogOptions): LoginLog {
  const waiting: LoginRecord[] = [];
  let draining: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function drain(): Promise<void> {
    let pause = gatherMilliseconds;
    try {
      do {
        const batch = waiting.slice(0, batchSize);
        await insert(batch);
        waiting.splice(0, batch.length);
      } while (waiting.length >= batchSize);
    } catch (cause) {
      onFailure(cause, waiting.length);
      pause = retryMilliseconds;
    }
    // In the same tick as the last look at `waiting`: a record that comes now starts the next drain.
    draining = undefined;
    if (waiting.length > 0) startIn(pause);
  }

  function startIn(milliseconds: number): void {
    timer ??= setTimeout(start, milliseconds);
  }

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    if (draining === undefined && waiting.length > 0) draining = drain();
  }

  return {
    record(attempt) {
      const at = now();
      waiting.push(
        createLoginRecord(attempt, { id: createUuidV7(at, randomBytes(10)), at: new Date(at), instance }),
      );
      if (draining === undefined) startIn(gatherMilliseconds);
    },
    async close() {
      for (let tries = 0; tries < closingTries && waiting.length > 0; tries += 1) {
        await draining;
        start();
        await draining;
      }
      clearTimeout(timer);
    },
  };
}
