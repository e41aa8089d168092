// What a schedule leaves to chance: always the same for one seed and number.
import { createRandom } from '../model/random.ts';

export interface Chance {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
  /** From 0 up to 1. */
  fraction(): number;
  between(from: number, to: number): number;
  happens(perMille: number): boolean;
  pick<T>(list: readonly [T, ...T[]]): T;
  /** Undefined where there is none. */
  pickAny<T>(list: readonly T[]): T | undefined;
}

const fineness = 2 ** 30;

export function createChance(seed: number, number: number): Chance {
  const random = createRandom();
  random.start(seed, number);
  const fraction = () => random.below(fineness) / fineness;
  return {
    below: random.below,
    fraction,
    between: (from, to) => from + (to - from) * fraction(),
    happens: (perMille) => random.below(1000) < perMille,
    pickAny: (list) => list[random.below(Math.max(1, list.length))],
    pick: (list) => list[random.below(list.length)] ?? list[0],
  };
}
