// Login metrics: counts login attempts by outcome and reason.
import { type LoginAttempt, type LoginReason, loginReasons } from '@portcullis/contract';

type Attempt = Pick<LoginAttempt, 'outcome' | 'reason'>;

export interface LoginCounts {
  count(attempt: Attempt): void;
  read(): readonly {
    readonly labels: Readonly<Record<'outcome' | 'reason', string>>;
    readonly value: number;
  }[];
}

/** The login log also has logouts, which are no attempts. */
const counted = loginReasons.filter((reason) => reason !== 'logout');

export function createLoginCounts(): LoginCounts {
  const counts = new Map<LoginReason, number>(counted.map((reason) => [reason, 0]));
  return {
    count({ reason }) {
      const count = counts.get(reason);
      if (count !== undefined) counts.set(reason, count + 1);
    },
    read: () =>
      [...counts].map(([reason, value]) => ({
        labels: { outcome: reason === 'ok' ? 'success' : 'failure', reason },
        value,
      })),
  };
}
