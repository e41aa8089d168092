// Concurrency limit for streamed replies: a stream holds its slot until it ends, because it costs until then.
import { AppError, type Pieces } from '@portcullis/contract';

export interface ConcurrencyLimit {
  /** Streams the pieces when a slot is free at the first read; otherwise throws `rate_limited`. */
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
