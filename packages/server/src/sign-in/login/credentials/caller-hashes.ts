// The hashes that callers have made for others and for themselves: so many a minute for each, and one at a time, so that
// nobody who may set passwords keeps everybody else from logging in.
import { AppError, type Caller } from '@portcullis/contract';
import { createBudget } from '../../../base/values/budget.ts';

export type HashingCaller = Pick<Caller, 'userId'>;

export interface CallerHashes {
  /** Takes one of the caller's hashes; before any work that leads to it. */
  admit(caller: HashingCaller): void;
  hash(caller: HashingCaller, password: string): Promise<string>;
}

interface CallerHashesOptions {
  readonly hash: (password: string) => Promise<string>;
  readonly perMinute: number;
  readonly now: () => number;
}

export function createCallerHashes({ hash, perMinute, now }: CallerHashesOptions): CallerHashes {
  const budget = createBudget<number>({ perSecond: perMinute / 60, burst: Math.max(1, perMinute / 3), now });
  const lines = new Map<number, Promise<unknown>>();
  return {
    admit({ userId }) {
      const wait = budget.take(userId);
      if (wait > 0) throw new AppError('rate_limited', { retryAfterSeconds: wait });
    },
    async hash({ userId }, password) {
      const next = () => hash(password);
      const turn = (lines.get(userId) ?? Promise.resolve()).then(next, next);
      lines.set(userId, turn);
      try {
        return await turn;
      } finally {
        if (lines.get(userId) === turn) lines.delete(userId);
      }
    },
  };
}
