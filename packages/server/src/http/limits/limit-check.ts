// Rate limit of requests from unknown senders: per client network. A device on which a person has logged in has a limit in
// addition, which is used first. It slows floods and decides nothing else.
import { AppError } from '@portcullis/contract';
import { networkOf } from '../../base/values/network.ts';
import { createTokenBuckets } from '../../base/values/token-buckets.ts';

export interface LimitOptions<T> {
  readonly requestsPerSecond: number;
  readonly burst: number;
  readonly now: () => number;
  /** The person who has logged in on the device of the request. */
  readonly findOwner?: (request: T) => string | undefined;
  /** The limit of such a person, in addition to that of the network. */
  readonly ofOwner?: { readonly requestsPerSecond: number; readonly burst: number };
}

export type LimitCheck<T> = (request: T) => void;

export function createLimitCheck<T extends { readonly ip: string }>(options: LimitOptions<T>): LimitCheck<T> {
  const { requestsPerSecond, burst, now, findOwner, ofOwner } = options;
  const networks = createTokenBuckets<string>({ perSecond: requestsPerSecond, burst, now });
  const owners = createTokenBuckets<string>({
    perSecond: ofOwner?.requestsPerSecond ?? 0,
    burst: ofOwner?.burst ?? 0,
    now,
  });
  return function limitCheck(request) {
    const owner = findOwner?.(request);
    if (owner !== undefined && owners.take(owner) === 0) return;
    const network = networkOf(request.ip);
    const wait = networks.take(network);
    if (wait > 0) throw new AppError('rate_limited', { retryAfterSeconds: wait });
  };
}
