// Retry with exponential backoff, jitter and a time limit: while an instance restarts, another one can answer.
import { ClientError } from '../client-error.ts';

const shortestMilliseconds = 100;
const longestMilliseconds = 3000;

export interface Backoff {
  /** Waits before the next retry; throws the error if the time limit does not allow another one. */
  wait(error: unknown): Promise<void>;
}

export function createBackoff(seconds: number, signal?: AbortSignal | null): Backoff {
  const giveUpAt = performance.now() + seconds * 1000;
  let pause = shortestMilliseconds;
  return {
    async wait(error) {
      const told = error instanceof ClientError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
      // Jitter: clients that lost their connection together do not retry together.
      const milliseconds = Math.max(told, pause * (0.5 + Math.random() / 2));
      pause = Math.min(2 * pause, longestMilliseconds);
      if (signal?.aborted || performance.now() + milliseconds > giveUpAt) throw error;
      await sleep(milliseconds, signal);
      if (signal?.aborted) throw error;
    },
  };
}

/** Ends early when the signal aborts. */
function sleep(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end);
  });
}
