// The source of chance: xorshift128, started from a seed and a schedule's number, so that any schedule can be run
// again alone. It must not allocate.

export interface Random {
  /** Schedule `number` of run `seed` always draws the same. */
  start(seed: number, number: number): void;
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
}

export function createRandom(): Random {
  let x = 1;
  let y = 2;
  let z = 3;
  let w = 4;

  function next(): number {
    const mixed = x ^ (x << 11);
    x = y;
    y = z;
    z = w;
    w = w ^ (w >>> 19) ^ mixed ^ (mixed >>> 8);
    return w >>> 1;
  }

  return {
    start(seed, number) {
      // Each of the four is a bijection of the schedule's number: two schedules of a run never start alike.
      x = scramble(number ^ scramble(seed)) | 1;
      y = scramble(number + 0x9e3779b9);
      z = scramble(seed + 0x7f4a7c15);
      w = scramble(y ^ 0x2545f491);
      next();
      next();
    },
    below: (limit) => next() % limit,
  };
}

/** The finaliser of MurmurHash3. */
function scramble(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
