// Rate limit with token buckets in memory, one bucket per key: an average rate and a burst.
import { createBoundedMap } from '@portcullis/gate';

interface BudgetOptions {
  readonly perSecond: number;
  readonly burst: number;
  readonly now: () => number;
}

export interface TokenBuckets<Key> {
  /** Takes a token and returns 0. Without a token: returns the whole seconds until there is one. */
  take(key: Key): number;
  /** The tokens left, without taking one. */
  left(key: Key): number;
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** Above this number of keys the oldest buckets are dropped. */
const trackedKeys = 100_000;

export function createTokenBuckets<Key>({ perSecond, burst, now }: BudgetOptions): TokenBuckets<Key> {
  const buckets = createBoundedMap<Key, Bucket>(trackedKeys);

  function filled(key: Key): Bucket {
    const at = now();
    const bucket = buckets.get(key);
    if (bucket === undefined) {
      const opened = { tokens: burst, filledAt: at };
      buckets.set(key, opened);
      return opened;
    }
    // A clock that was set back adds no tokens; a clock that was set forward adds at most the burst.
    const elapsedSeconds = Math.max(0, at - bucket.filledAt) / 1000;
    bucket.tokens = Math.min(burst, bucket.tokens + elapsedSeconds * perSecond);
    bucket.filledAt = at;
    return bucket;
  }

  return {
    take(key) {
      const bucket = filled(key);
      if (bucket.tokens < 1) return Math.max(1, Math.ceil((1 - bucket.tokens) / perSecond));
      bucket.tokens -= 1;
      return 0;
    },
    left: (key) => filled(key).tokens,
  };
}
