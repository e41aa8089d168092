// So many streams at once, and no more: each costs for as long as it lasts.
import { AppError, type Pieces } from '@portcullis/contract';

export interface ConcurrencyLimit {
  /** The pieces, where there is a slot for them when they are first asked for. */
  hold(pieces: () => Pieces): Pieces;
}

const retryAfterSeconds = 10;

export function createConcurrencyLimit(count: number): ConcurrencyLimit {
  let free = count;
  return {
    async *hold(pieces) {
      if (free === 0) throw new AppError('rate_limited', { retryAfterSeconds });
      free -= 1;
      try {
        yield* pieces();
      } finally {
        free += 1;
      }
    },
  };
}
