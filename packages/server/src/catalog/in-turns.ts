// Long work in short turns, so that other requests are answered in between.
import { setImmediate as nextTurn } from 'node:timers/promises';

const itemsPerTurn = 1000;

type Pages<Item> = AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>;

/** @example for await (const turn of inTurns([routes])) for (const route of turn) insert(route); */
export async function* inTurns<Item>(pages: Pages<Item>): AsyncGenerator<readonly Item[]> {
  for await (const page of pages)
    for (let from = 0; from < page.length; from += itemsPerTurn) {
      yield page.slice(from, from + itemsPerTurn);
      await nextTurn();
    }
}
