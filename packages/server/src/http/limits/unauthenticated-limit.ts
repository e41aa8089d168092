// What a request costs its network whose token is not known here. A verification that succeeds costs nothing: after a
// restart everybody who is signed in must be verified once. One that fails is the network's, so that forged tokens buy no
// more signature checks than this; a request without a token that stands is anonymous.
import { AppError } from '@portcullis/contract';
import type { UnauthenticatedLimit } from '@portcullis/gate';
import { createBudget } from '../../base/values/budget.ts';
import { networkOf } from '../../base/values/network.ts';
import type { LimitCheck } from './limit-check.ts';

interface StrangerOptions<T> {
  readonly requestsPerSecond: number;
  readonly burst: number;
  readonly now: () => number;
  /** As of a public endpoint. */
  readonly limit: LimitCheck<T>;
}

/** What is being verified for a network, and what tells those who wait that one of them has ended. */
interface Running {
  count: number;
  ended: PromiseWithResolvers<void>;
}

export function createUnauthenticatedLimit<T extends { readonly ip: string }>(
  options: StrangerOptions<T>,
): UnauthenticatedLimit<T> {
  const { requestsPerSecond, burst, now, limit } = options;
  const failures = createBudget<string>({ perSecond: requestsPerSecond, burst, now });
  const runningOf = new Map<string, Running>();

  /** What is being verified may still fail. Those who come at once wait for it instead of being refused. */
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
