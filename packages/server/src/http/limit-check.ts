// The general limit: a token bucket per client network, in memory. It slows whoever floods; it decides nothing else.
import { AppError } from '@portcullis/contract';
import { createBoundedMap } from '@portcullis/gate';
import { networkOf } from '../values/network.ts';

interface LimitOptions {
  readonly requestsPerSecond: number;
  readonly burst: number;
  readonly now: () => number;
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** More networks than this push out the ones that came first. */
const trackedNetworks = 100_000;

export function createLimitCheck({ requestsPerSecond, burst, now }: LimitOptions) {
  const buckets = createBoundedMap<string, Bucket>(trackedNetworks);
  function open(network: string, at: number): Bucket {
    const bucket = { tokens: burst, filledAt: at };
    buckets.set(network, bucket);
    return bucket;
  }
  return function limitCheck({ ip }: { readonly ip: string }): void {
    const network = networkOf(ip);
    const at = now();
    const bucket = buckets.get(network) ?? open(network, at);
    // A clock that was set back fills nothing; one that was set forward fills at most the burst.
    const elapsedSeconds = Math.max(0, at - bucket.filledAt) / 1000;
    bucket.tokens = Math.min(burst, bucket.tokens + elapsedSeconds * requestsPerSecond);
    bucket.filledAt = at;
    if (bucket.tokens < 1) {
      const wait = Math.ceil((1 - bucket.tokens) / requestsPerSecond);
      throw new AppError('rate_limited', { retryAfterSeconds: Math.max(1, wait) });
    }
    bucket.tokens -= 1;
  };
}
