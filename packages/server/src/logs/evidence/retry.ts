// Retries work after a lock conflict with another transaction.
import { setTimeout as sleep } from 'node:timers/promises';

const mostTries = 20;
const retryMilliseconds = 1000;
/** Postgres: lock_not_available, deadlock_detected. */
const lockCodes = ['55P03', '40P01'];

export async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1)
    try {
      return await work();
    } catch (error) {
      if (tried === mostTries || !lockCodes.includes(codeOf(error) ?? '')) throw error;
      await sleep(retryMilliseconds);
    }
}

export function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}
