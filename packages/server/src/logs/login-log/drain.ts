// Drains a spool into the database, in order, batch by batch; a failed batch is retried until it is stored.
import { setTimeout as sleep } from 'node:timers/promises';
import { type DrainRate, fullBatch } from './drain-rate.ts';
import type { SpoolReader } from './spool/spool-reader.ts';

interface DrainOptions {
  /** Without it, the drain runs at full speed. */
  readonly pace?: Pick<DrainRate, 'begin' | 'end'>;
  readonly insert: (texts: readonly string[]) => Promise<void>;
  /** Called on the first failure in a row. */
  readonly onFailure: (cause: unknown) => void;
}

export interface Drain {
  /** The oldest record that is being stored; undefined without one. */
  readonly oldest: string | undefined;
  /** Stores everything in the spool. Rejects when it is aborted, or after this many failures in a row. */
  run(signal: AbortSignal, mostFailures?: number): Promise<void>;
}

const retryMilliseconds = 1000;
const unpaced = { begin: () => fullBatch, end: () => 0 };

export function createDrain(
  spool: Pick<SpoolReader, 'next'>,
  { pace = unpaced, insert, onFailure }: DrainOptions,
): Drain {
  const drain = { oldest: undefined as string | undefined, run };

  /** Returns the pause in milliseconds; undefined when there was nothing to store. */
  async function storeNext(failures: number): Promise<number | undefined> {
    const size = pace.begin();
    let stored = 0;
    let rest = 0;
    try {
      // A batch that takes too long may be too large, so each failure halves its size.
      const piece = await spool.next(Math.max(1, size >> Math.min(failures, 10)));
      drain.oldest = piece?.texts[0];
      if (piece === undefined) return undefined;
      await insert(piece.texts);
      await piece.done();
      stored = piece.texts.length;
    } finally {
      rest = pace.end(stored);
    }
    return rest;
  }

  async function run(signal: AbortSignal, mostFailures = Infinity): Promise<void> {
    let failures = 0;
    for (;;) {
      signal.throwIfAborted();
      let rest: number | undefined;
      try {
        rest = await storeNext(failures);
        if (rest === undefined) return;
        failures = 0;
      } catch (cause) {
        failures += 1;
        if (failures === 1) onFailure(cause);
        if (failures >= mostFailures) throw cause;
        rest = retryMilliseconds;
      }
      if (rest > 0) await sleep(rest, undefined, { signal });
    }
  }

  return drain;
}
