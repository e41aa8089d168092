// Brings what is in a spool into the database, in order, batch by batch; a batch that fails is tried again until it
// is stored.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SpoolReader } from './spool/spool-reader.ts';

interface DrainOptions {
  readonly insert: (texts: readonly string[]) => Promise<void>;
  /** Told of the first failure in a row. */
  readonly onFailure: (cause: unknown) => void;
}

export interface Drain {
  /** The oldest record that is being stored; undefined where there is none. */
  readonly oldest: string | undefined;
  /** Stores everything that is there. Rejects when it is told to stop, or after so many failures in a row. */
  run(signal: AbortSignal, mostFailures?: number): Promise<void>;
}

const batchSize = 1000;
const retryMilliseconds = 1000;

export function createDrain(spool: Pick<SpoolReader, 'next'>, { insert, onFailure }: DrainOptions): Drain {
  const drain = { oldest: undefined as string | undefined, run };

  /** Whether there was something to store. */
  async function storeNext(size: number): Promise<boolean> {
    const piece = await spool.next(size);
    drain.oldest = piece?.texts[0];
    if (piece === undefined) return false;
    await insert(piece.texts);
    await piece.done();
    return true;
  }

  async function run(signal: AbortSignal, mostFailures = Infinity): Promise<void> {
    let failures = 0;
    for (;;) {
      signal.throwIfAborted();
      try {
        // A batch that takes too long may be too long.
        if (!(await storeNext(Math.max(1, batchSize >> Math.min(failures, 10))))) return;
        failures = 0;
      } catch (cause) {
        failures += 1;
        if (failures === 1) onFailure(cause);
        if (failures >= mostFailures) throw cause;
        await sleep(retryMilliseconds, undefined, { signal });
      }
    }
  }

  return drain;
}
