// Concurrency limit for password hashes, with priorities: more hashes at once would make each slower and complete fewer of
// them. A job that waits too long is refused before anything is hashed.
import { createConcurrencyLimit } from '../../../base/limit/concurrency-limit.ts';

export interface HashPool {
  /** An urgent job starts before most other jobs, and can use the last permit. */
  run<T>(job: () => Promise<T>, isUrgent: boolean): Promise<T>;
  /** For administration: one at a time, and never before a login that could start. */
  runLast<T>(job: () => Promise<T>): Promise<T>;
}

const deadlineMilliseconds = 1000;
/** Administration can wait for a gap between logins. */
const lastDeadlineMilliseconds = 5000;
const queues = { urgent: 0, others: 1, last: 2 };

export function createHashPool(concurrency: number): HashPool {
  const limit = createConcurrencyLimit(concurrency);
  const permit = { key: 'permit', most: concurrency };
  /** If there are two permits or more, one is reserved for urgent jobs. */
  const ofOthers = { key: 'others', most: Math.max(1, concurrency - 1) };
  const ofLast = { key: 'last', most: 1 };
  return {
    run: (job, isUrgent) =>
      limit.run(isUrgent ? [permit] : [permit, ofOthers], job, {
        queue: isUrgent ? queues.urgent : queues.others,
        milliseconds: deadlineMilliseconds,
      }),
    runLast: (job) =>
      limit.run([permit, ofLast], job, { queue: queues.last, milliseconds: lastDeadlineMilliseconds }),
  };
}
