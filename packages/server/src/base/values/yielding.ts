// Long work in short turns, so that other requests are answered in between. Whoever works waits for a turn of all who do:
// however many long works there are at once, no more than one turn lies between two looks at what has come in.
import { setImmediate as lookAround } from 'node:timers/promises';

/** A turn ends with the item that exceeds it. */
const turnMilliseconds = 5;

export interface Yielding {
  /** Whether all of them pass; not where to find out takes more work than one request may have. */
  every<Item>(items: Iterable<Item>, passes: (item: Item) => boolean): Promise<boolean>;
  filter<Item>(items: Iterable<Item>, passes: (item: Item) => boolean): Promise<Item[]>;
}

interface TurnsOptions {
  readonly monotonic: () => number;
  /** How much work one request may have. */
  readonly mostMilliseconds?: number;
}

/** @example const turns = createYielding({ monotonic: () => performance.now() }); */
export function createYielding({ monotonic, mostMilliseconds = 1000 }: TurnsOptions): Yielding {
  let last: Promise<void> = Promise.resolve();

  async function waitForTurn(): Promise<void> {
    last = last.then(() => lookAround());
    await last;
  }

  /** The items one by one, and the work that they have taken up to each. */
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
