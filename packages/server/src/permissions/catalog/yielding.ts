// Cooperative yielding: splits long work into short batches and yields to the event loop between them, so that the process
// answers other requests.
import { setImmediate as nextTurn } from 'node:timers/promises';

const mostItems = 1000;
const batchMilliseconds = 5;

type Pages<Item> = AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>;

/** @example for await (const batch of inTurns([routes])) for (const route of batch) insert(route); */
export async function* inTurns<Item>(pages: Pages<Item>): AsyncGenerator<readonly Item[]> {
  // An item can take a microsecond or, with malicious rules, milliseconds: batches start small, and grow while they are
  // fast.
  let count = 8;
  for await (const page of pages)
    for (let from = 0; from < page.length; ) {
      const startedAt = performance.now();
      yield page.slice(from, from + count);
      from += count;
      const isShort = performance.now() - startedAt < batchMilliseconds;
      count = isShort ? Math.min(count * 2, mostItems) : Math.max(count >> 1, 1);
      await nextTurn();
    }
}
