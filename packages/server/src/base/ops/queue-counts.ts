// Queue metrics: counts the jobs that wait, that run, and that were refused before they ran.

export interface QueueCounts {
  readonly waiting: number;
  readonly running: number;
  readonly refused: number;
  /** Counts the job; `enter` puts it into the queue. */
  watch<T>(enter: (job: () => Promise<T>) => Promise<T>, job: () => Promise<T>): Promise<T>;
}

export function createQueueCounts(): QueueCounts {
  const counts = { waiting: 0, running: 0, refused: 0, watch };

  async function watch<T>(enter: (job: () => Promise<T>) => Promise<T>, job: () => Promise<T>): Promise<T> {
    let hasStarted = false;
    function start(): Promise<T> {
      hasStarted = true;
      counts.waiting -= 1;
      counts.running += 1;
      return job();
    }
    counts.waiting += 1;
    try {
      return await enter(start);
    } finally {
      if (hasStarted) counts.running -= 1;
      else {
        counts.waiting -= 1;
        counts.refused += 1;
      }
    }
  }

  return counts;
}
