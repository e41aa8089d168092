// The general limit, of requests whose sender is not known: by the client's network, and before that by the device, where
// one of somebody who has logged in on it says so. It slows whoever floods; it decides nothing else.
import { AppError } from '@portcullis/contract';
import { createBudget } from '../../base/values/budget.ts';
import { networkOf } from '../../base/values/network.ts';

export interface LimitOptions<T> {
  readonly requestsPerSecond: number;
  readonly burst: number;
  readonly now: () => number;
  /** Who has logged in on the device that the request comes from. */
  readonly findOwner?: (request: T) => string | undefined;
  /** What such a person has beside the network. */
  readonly ofOwner?: { readonly requestsPerSecond: number; readonly burst: number };
}

export type LimitCheck<T> = (request: T) => void;

export function createLimitCheck<T extends { readonly ip: string }>(options: LimitOptions<T>): LimitCheck<T> {
  const { requestsPerSecond, burst, now, findOwner, ofOwner } = options;
  const networks = createBudget<string>({ perSecond: requestsPerSecond, burst, now });
  const owners = createBudget<string>({
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
