// The limit of a caller who is known: by person, so that nobody else spends it, wherever the calls come from. What takes
// access away has a budget of its own: whoever revokes must not wait for what was called before.
import { AppError, type Caller } from '@portcullis/contract';
import { createBudget } from '../../base/values/budget.ts';

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
  const calls = createBudget<number>(rate);
  const revocations = createBudget<number>(rate);
  const revoking = new Set(takingAway);
  return function callerLimitCheck({ caller, route }: Called): void {
    if (caller === undefined) throw new AppError('token_missing');
    const budget = revoking.has(route) ? revocations : calls;
    const wait = budget.take(caller.userId);
    if (wait > 0) throw new AppError('rate_limited', { retryAfterSeconds: wait });
  };
}
