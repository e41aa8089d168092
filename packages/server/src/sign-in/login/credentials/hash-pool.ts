// Concurrency limit for password hashes, with priorities: more hashes at once would make each slower and complete fewer of
// them. A job that waits too long is refused before anything is hashed.
import { AppError } from '@portcullis/contract';

export interface HashPool {
  /** An urgent job starts before most other jobs, and can use the last permit. */
  run<T>(job: () => Promise<T>, isUrgent: boolean): Promise<T>;
  /** For administration: one at a time, and never before a login that could start. */
  runLast<T>(job: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly start: () => void;
}

const deadlineMilliseconds = 1000;
/** Administration can wait for a gap between logins. */
const lastDeadlineMilliseconds = 5000;
/** So that other jobs get a share, however many urgent jobs wait. */
const mostUrgentInARow = 3;

export function createHashPool(concurrency: number): HashPool {
  const urgent = new Set<Waiting>();
  const others = new Set<Waiting>();
  const last = new Set<Waiting>();
  let running = 0;
  let runningLast = 0;
  let runningOthers = 0;
  let urgentInARow = 0;

  /** If there are two permits or more, one is reserved for urgent jobs. */
  const mayStartOther = () => others.size > 0 && runningOthers < Math.max(1, concurrency - 1);

  function startNext(): void {
    while (running < concurrency) {
      const isOthersTurn = mayStartOther() && (urgent.size === 0 || urgentInARow >= mostUrgentInARow);
      const isLastsTurn = !isOthersTurn && urgent.size === 0 && runningLast === 0;
      const line = isOthersTurn ? others : isLastsTurn ? last : urgent;
      const [next] = line;
      if (next === undefined) return;
      line.delete(next);
      running += 1;
      runningOthers += isOthersTurn ? 1 : 0;
      runningLast += isLastsTurn ? 1 : 0;
      urgentInARow = isOthersTurn ? 0 : urgentInARow + 1;
      next.start();
    }
  }

  function permit(line: Set<Waiting>, milliseconds = deadlineMilliseconds): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const deadline = setTimeout(() => {
      line.delete(waiting);
      reject(new AppError('rate_limited', { retryAfterSeconds: 1 }));
    }, milliseconds);
    const waiting = {
      start() {
        clearTimeout(deadline);
        resolve();
      },
    };
    line.add(waiting);
    startNext();
    return promise;
  }

  return {
    async run(job, isUrgent) {
      await permit(isUrgent ? urgent : others);
      try {
        return await job();
      } finally {
        running -= 1;
        runningOthers -= isUrgent ? 0 : 1;
        startNext();
      }
    },
    async runLast(job) {
      await permit(last, lastDeadlineMilliseconds);
      try {
        return await job();
      } finally {
        running -= 1;
        runningLast -= 1;
        startNext();
      }
    },
  };
}
