// Rate limit for the password hashes of callers who set passwords, for themselves or for other users: a number per minute for
// each caller, and one at a time, so that a caller who is allowed to set passwords cannot block the logins of all other users.
import { AppError, type Caller, type Text } from '@portcullis/contract';
import { createTokenBuckets } from '../../../base/values/token-buckets.ts';

export type HashingCaller = Pick<Caller, 'userId'>;

export interface CallerHashes {
  /** Takes one hash of the caller's rate limit, before any work that leads to it. */
  admit(caller: HashingCaller): void;
  hash(caller: HashingCaller, password: string): Promise<string>;
}

interface CallerHashesOptions {
  readonly hash: (password: string) => Promise<string>;
  readonly perMinute: number;
  readonly now: () => number;
}

function tooMany(perMinute: number): Text {
  return {
    en: `This account can set ${perMinute} passwords a minute. Wait a moment and try again, or ask an operator to raise \`limit.passwordsSetPerMinute\`.`,
    zh: `此账号每分钟最多可设置 ${perMinute} 个密码。请稍后再试，或请运维人员调高 \`limit.passwordsSetPerMinute\`。`,
  };
}

export function createCallerHashes({ hash, perMinute, now }: CallerHashesOptions): CallerHashes {
  const buckets = createTokenBuckets<number>({
    perSecond: perMinute / 60,
    burst: Math.max(1, perMinute / 3),
    now,
  });
  const queues = new Map<number, Promise<unknown>>();
  return {
    admit({ userId }) {
      const wait = buckets.take(userId);
      if (wait > 0) throw new AppError('rate_limited', { retryAfterSeconds: wait, text: tooMany(perMinute) });
    },
    async hash({ userId }, password) {
      const next = () => hash(password);
      const queued = (queues.get(userId) ?? Promise.resolve()).then(next, next);
      queues.set(userId, queued);
      try {
        return await queued;
      } finally {
        if (queues.get(userId) === queued) queues.delete(userId);
      }
    },
  };
}
