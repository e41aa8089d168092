// Concurrency limit (semaphore) by key: work without a free slot is refused before it costs anything, or waits in a queue.
import { AppError, type Pieces } from '@portcullis/contract';

export interface ConcurrencyLimit {
  /** Runs the work when there is a free slot under each key; otherwise throws `rate_limited`. The work holds the slots, not the client. */
  run<T>(key: string | readonly Slot[], work: () => Promise<T>, wait?: Wait): Promise<T>;
  /** Streams the pieces when a slot is free at the first read. A stream holds its slot until it ends, because it costs until then. */
  hold(pieces: () => Pieces): Pieces;
  /** Takes a slot and returns the function that frees it; undefined when none is free. */
  take(key: string): (() => void) | undefined;
}

export interface Slot {
  readonly key: string;
  /** How many hold a slot of this key at once. */
  readonly most: number;
}

export interface Wait {
  /** Queues with a lower number go first. */
  readonly queue: number;
  readonly milliseconds: number;
}

interface Waiting {
  readonly slots: readonly Slot[];
  readonly start: () => void;
}

const retryAfterSeconds = 1;
const retryStreamAfterSeconds = 10;
/** Then queue 1 goes before queue 0, so that it gets a share, however long queue 0 is. */
const mostFirstInARow = 3;

/** `most` is the limit of a key that has no other limit. */
export function createConcurrencyLimit(most: number): ConcurrencyLimit {
  const taken = new Map<string, number>();
  const queues: Set<Waiting>[] = [];
  let firstInARow = 0;

  const isFree = (slots: readonly Slot[]) => slots.every(({ key, most }) => (taken.get(key) ?? 0) < most);

  function add({ key }: Slot, by: 1 | -1): void {
    const count = (taken.get(key) ?? 0) + by;
    if (count === 0) taken.delete(key);
    else taken.set(key, count);
  }

  function start(slots: readonly Slot[], queue?: number): void {
    for (const slot of slots) add(slot, 1);
    firstInARow = queue === 1 ? 0 : firstInARow + 1;
  }

  function free(slots: readonly Slot[]): void {
    for (const slot of slots) add(slot, -1);
    while (startNext());
  }

  function startNext(): boolean {
    const order = [...queues.keys()];
    if (firstInARow >= mostFirstInARow) order.splice(0, 2, 1, 0);
    for (const queue of order)
      for (const waiting of queues[queue] ?? [])
        if (isFree(waiting.slots)) {
          queues[queue]?.delete(waiting);
          start(waiting.slots, queue);
          waiting.start();
          return true;
        }
    return false;
  }

  function enter(slots: readonly Slot[], { queue, milliseconds }: Wait): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    for (let index = queues.length; index <= queue; index += 1) queues.push(new Set());
    const deadline = setTimeout(() => {
      queues[queue]?.delete(waiting);
      reject(new AppError('rate_limited', { retryAfterSeconds }));
    }, milliseconds);
    const waiting: Waiting = {
      slots,
      start() {
        clearTimeout(deadline);
        resolve();
      },
    };
    queues[queue]?.add(waiting);
    return promise;
  }

  function take(key: string): (() => void) | undefined {
    const slots = [{ key, most }];
    if (!isFree(slots)) return undefined;
    start(slots);
    return () => free(slots);
  }

  return {
    take,
    async run(key, work, wait) {
      const slots = typeof key === 'string' ? [{ key, most }] : key;
      if (isFree(slots)) start(slots, wait?.queue);
      else if (wait !== undefined) await enter(slots, wait);
      else throw new AppError('rate_limited', { retryAfterSeconds });
      try {
        return await work();
      } finally {
        free(slots);
      }
    },
    async *hold(pieces) {
      const end = take('');
      if (end === undefined)
        throw new AppError('rate_limited', { retryAfterSeconds: retryStreamAfterSeconds });
      try {
        yield* pieces();
      } finally {
        end();
      }
    },
  };
}
