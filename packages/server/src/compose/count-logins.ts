// Part of the composition root: counts and traces each attempt that the login log records.

import type { LoginCounts } from '../base/ops/login-counts.ts';
import type { ProviderCounts } from '../base/ops/provider-counts.ts';
import { traced } from '../base/ops/trace.ts';
import type { LoginLog } from '../logs/login-log/login-log.ts';

export function countLogins(loginLog: LoginLog, counts: LoginCounts, providers?: ProviderCounts): LoginLog {
  const record = traced('login record', loginLog.record, ({ outcome, reason, userId }) => ({
    'portcullis.login.outcome': outcome,
    'portcullis.login.reason': reason,
    ...(userId === undefined ? {} : { 'user.id': String(userId) }),
  }));
  return {
    ...loginLog,
    async record(attempt) {
      try {
        await record(attempt);
      } catch (error) {
        // A success that cannot be stored is refused.
        counts.count(attempt.outcome === 'success' ? { outcome: 'failure', reason: 'unavailable' } : attempt);
        throw error;
      }
      counts.count(attempt);
      providers?.count(attempt);
    },
  };
}
