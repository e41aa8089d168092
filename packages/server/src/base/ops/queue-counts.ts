// Counts what waits for its turn, what has it, and what was refused without getting one.

export interface QueueCounts {
  readonly waiting: number;
  readonly running: number;
  readonly refused: number;
  /** `enter` takes the job to the queue that is counted. */
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
