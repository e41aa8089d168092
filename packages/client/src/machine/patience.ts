// How often something is tried again, and how long in all: while an instance restarts, the next one answers.
import { ClientError } from '../client-error.ts';

const shortestMilliseconds = 100;
const longestMilliseconds = 3000;

export interface Patience {
  /** Waits before the next try; throws the error where there is none. */
  wait(error: unknown): Promise<void>;
}

export function createPatience(seconds: number, signal?: AbortSignal | null): Patience {
  const giveUpAt = performance.now() + seconds * 1000;
  let pause = shortestMilliseconds;
  return {
    async wait(error) {
      const told = error instanceof ClientError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
      // Many that were cut off at once do not come back at once.
      const milliseconds = Math.max(told, pause * (0.5 + Math.random() / 2));
      pause = Math.min(2 * pause, longestMilliseconds);
      if (signal?.aborted || performance.now() + milliseconds > giveUpAt) throw error;
      await sleep(milliseconds, signal);
      if (signal?.aborted) throw error;
    },
  };
}

/** Until the signal aborts, at most. */
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
