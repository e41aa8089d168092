// Long work in short turns, so that other requests are answered in between.
import { setImmediate as nextTurn } from 'node:timers/promises';

const mostItems = 1000;
const turnMilliseconds = 5;

type Pages<Item> = AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>;

/** @example for await (const turn of inTurns([routes])) for (const route of turn) insert(route); */
export async function* inTurns<Item>(pages: Pages<Item>): AsyncGenerator<readonly Item[]> {
  // An item can take a microsecond or, under rules made for it, milliseconds: turns begin small, and grow while they are short.
  let count = 8;
  for await (const page of pages)
    for (let from = 0; from < page.length; ) {
      const startedAt = performance.now();
      yield page.slice(from, from + count);
      from += count;
      const isShort = performance.now() - startedAt < turnMilliseconds;
      count = isShort ? Math.min(count * 2, mostItems) : Math.max(count >> 1, 1);
      await nextTurn();
    }
}
