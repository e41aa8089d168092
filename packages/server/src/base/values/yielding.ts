// Cooperative yielding: splits long synchronous work into short turns, so that the event loop handles other requests in between.
// All long work shares one queue: however many run at once, at most one turn passes between two iterations of the event loop.
import { setImmediate as nextIteration } from 'node:timers/promises';

/** A turn ends after the item that exceeds this time. */
const turnMilliseconds = 5;

export interface Yielding {
  /** Whether all items pass. False when finding out takes more work than one request is allowed. */
  every<Item>(items: Iterable<Item>, passes: (item: Item) => boolean): Promise<boolean>;
  filter<Item>(items: Iterable<Item>, passes: (item: Item) => boolean): Promise<Item[]>;
}

interface TurnsOptions {
  readonly monotonic: () => number;
  /** The work that one request is allowed. */
  readonly mostMilliseconds?: number;
}

/** @example const turns = createYielding({ monotonic: () => performance.now() }); */
export function createYielding({ monotonic, mostMilliseconds = 1000 }: TurnsOptions): Yielding {
  let last: Promise<void> = Promise.resolve();

  async function waitForTurn(): Promise<void> {
    last = last.then(() => nextIteration());
    await last;
  }

  /** Yields the items one by one, each with the work that the items before it took. */
  async function* oneByOne<Item>(items: Iterable<Item>): AsyncGenerator<[Item, workedMilliseconds: number]> {
    let worked = 0;
    let startedAt = monotonic();
    for (const item of items) {
      const elapsed = monotonic() - startedAt;
      if (elapsed >= turnMilliseconds) {
        worked += elapsed;
        await waitForTurn();
        startedAt = monotonic();
      }
      yield [item, worked];
    }
  }

  return {
    async every(items, passes) {
      for await (const [item, worked] of oneByOne(items))
        if (worked > mostMilliseconds || !passes(item)) return false;
      return true;
    },
    async filter(items, passes) {
      const passed = [];
      for await (const [item] of oneByOne(items)) if (passes(item)) passed.push(item);
      return passed;
    },
  };
}
