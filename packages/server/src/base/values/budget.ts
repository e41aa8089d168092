// Token buckets, one a key, in memory: how often something may be done on average, and how often at once.
import { createBoundedMap } from '@portcullis/gate';

interface BudgetOptions {
  readonly perSecond: number;
  readonly burst: number;
  readonly now: () => number;
}

export interface Budget<Key> {
  /** Takes one where there is one, and then says 0; else the whole seconds after which there is one again. */
  take(key: Key): number;
  /** How many there are, without taking any. */
  left(key: Key): number;
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** More keys than this push out the ones that came first. */
const trackedKeys = 100_000;

export function createBudget<Key>({ perSecond, burst, now }: BudgetOptions): Budget<Key> {
  const buckets = createBoundedMap<Key, Bucket>(trackedKeys);

  function filled(key: Key): Bucket {
    const at = now();
    const bucket = buckets.get(key);
    if (bucket === undefined) {
      const opened = { tokens: burst, filledAt: at };
      buckets.set(key, opened);
      return opened;
    }
    // A clock that was set back fills nothing; one that was set forward fills at most the burst.
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
