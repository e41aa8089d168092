// Rate limit of known callers: per person, wherever the calls come from, so that no other person can use it up. Revocations have
// a separate limit: a revocation must not wait because of earlier calls.
import { AppError, type Caller } from '@portcullis/contract';
import { createTokenBuckets } from '../../base/values/token-buckets.ts';

interface CallerLimitOptions {
  readonly requestsPerSecond: number;
  readonly burst: number;
  readonly now: () => number;
  /** The endpoints that take access away, as `METHOD /path`. */
  readonly takingAway: readonly string[];
}

interface Called {
  readonly caller: Caller | undefined;
  readonly route: string;
}

export function createCallerLimitCheck({ requestsPerSecond, burst, now, takingAway }: CallerLimitOptions) {
  const rate = { perSecond: requestsPerSecond, burst, now };
  const calls = createTokenBuckets<number>(rate);
  const revocations = createTokenBuckets<number>(rate);
  const revoking = new Set(takingAway);
  return function callerLimitCheck({ caller, route }: Called): void {
    if (caller === undefined) throw new AppError('token_missing');
    const buckets = revoking.has(route) ? revocations : calls;
    const wait = buckets.take(caller.userId);
    if (wait > 0) throw new AppError('rate_limited', { retryAfterSeconds: wait });
  };
}
