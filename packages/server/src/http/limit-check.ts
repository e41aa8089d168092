// The general limit: a token bucket per client network, in memory. It slows whoever floods; it decides nothing else.
import { AppError } from '@portcullis/contract';
import { networkOf } from './network.ts';

interface LimitOptions {
  readonly requestsPerSecond: number;
  readonly burst: number;
  /** Milliseconds that never go back. */
  readonly monotonic: () => number;
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** More networks than this push out the ones that came first. */
const trackedNetworks = 100_000;

export function createLimitCheck({ requestsPerSecond, burst, monotonic }: LimitOptions) {
  const buckets = new Map<string, Bucket>();
  function open(network: string, now: number): Bucket {
    const bucket = { tokens: burst, filledAt: now };
    buckets.set(network, bucket);
    if (buckets.size > trackedNetworks) buckets.delete(buckets.keys().next().value ?? '');
    return bucket;
  }
  return function limitCheck({ ip }: { readonly ip: string }): void {
    const network = networkOf(ip);
    const now = monotonic();
    const bucket = buckets.get(network) ?? open(network, now);
    const refilled = bucket.tokens + ((now - bucket.filledAt) / 1000) * requestsPerSecond;
    bucket.tokens = Math.min(burst, refilled);
    bucket.filledAt = now;
    if (bucket.tokens < 1) {
      const wait = Math.ceil((1 - bucket.tokens) / requestsPerSecond);
      throw new AppError('rate_limited', { retryAfterSeconds: Math.max(1, wait) });
    }
    bucket.tokens -= 1;
  };
}
