// Rate limit of requests whose token this instance does not know yet. A verification that succeeds costs nothing, because after a
// restart every signed-in person must be verified once. One that fails counts for the client network, so that forged tokens
// cannot cause more signature checks than this. A request without a valid token is anonymous.
import { AppError } from '@portcullis/contract';
import type { UnauthenticatedLimit } from '@portcullis/gate';
import { networkOf } from '../../base/values/network.ts';
import { createTokenBuckets } from '../../base/values/token-buckets.ts';
import type { LimitCheck } from './limit-check.ts';

interface UnauthenticatedOptions<T> {
  readonly requestsPerSecond: number;
  readonly burst: number;
  readonly now: () => number;
  /** The limit of public endpoints. */
  readonly limit: LimitCheck<T>;
}

/** The running verifications of a network, and the signal that one of them has ended. */
interface Running {
  count: number;
  ended: PromiseWithResolvers<void>;
}

export function createUnauthenticatedLimit<T extends { readonly ip: string }>(
  options: UnauthenticatedOptions<T>,
): UnauthenticatedLimit<T> {
  const { requestsPerSecond, burst, now, limit } = options;
  const failures = createTokenBuckets<string>({ perSecond: requestsPerSecond, burst, now });
  const runningOf = new Map<string, Running>();

  /** Running verifications can still fail, so requests that arrive together wait for them instead of being refused. */
  async function begin(network: string): Promise<Running> {
    for (;;) {
      const left = failures.left(network);
      const running = runningOf.get(network);
      if (left - (running?.count ?? 0) >= 1) {
        const begun = running ?? { count: 0, ended: Promise.withResolvers<void>() };
        begun.count += 1;
        runningOf.set(network, begun);
        return begun;
      }
      if (running === undefined)
        throw new AppError('rate_limited', {
          retryAfterSeconds: Math.max(1, Math.ceil((1 - left) / requestsPerSecond)),
        });
      await running.ended.promise;
    }
  }

  function end(network: string, running: Running): void {
    running.count -= 1;
    if (running.count === 0) runningOf.delete(network);
    const { ended } = running;
    running.ended = Promise.withResolvers<void>();
    ended.resolve();
  }

  return {
    anonymous: limit,
    async verify(request, verification) {
      const network = networkOf(request.ip);
      const running = await begin(network);
      try {
        return await verification();
      } catch (error) {
        failures.take(network);
        throw error;
      } finally {
        end(network, running);
      }
    },
  };
}
