// Measures the duration of a password hash on this machine: alone, and with all concurrent hash slots busy.
import { randomBytes } from 'node:crypto';
import {
  createPasswordHashes,
  type HashCost,
} from '@portcullis/server/sign-in/login/credentials/password-hashes.ts';

export interface HashMeasure extends HashCost {
  readonly aloneMilliseconds: number;
  /** The 95th percentile with all slots busy. */
  readonly busyMilliseconds: number;
  readonly perSecond: number;
}

interface MeasureOptions {
  readonly concurrency: number;
  readonly durationMilliseconds: number;
}

export async function measureHash(
  cost: HashCost,
  { concurrency, durationMilliseconds }: MeasureOptions,
): Promise<HashMeasure> {
  const hashes = createPasswordHashes({ cost, randomBytes, matchesBcrypt: async () => false });
  const password = randomBytes(15).toString('base64url');
  const hash = () => hashes.hash(password);
  await hash();
  const alone = await hashFor(durationMilliseconds / 3, hash);
  const beganAt = performance.now();
  const workers = Array.from({ length: concurrency }, () => hashFor((durationMilliseconds * 2) / 3, hash));
  const busy = (await Promise.all(workers)).flat();
  const seconds = (performance.now() - beganAt) / 1000;
  return {
    memoryKibibytes: cost.memoryKibibytes,
    passes: cost.passes,
    aloneMilliseconds: quantile(alone, 0.5),
    busyMilliseconds: quantile(busy, 0.95),
    perSecond: busy.length / seconds,
  };
}

/** Runs hashes sequentially, at least three, and returns the duration of each. */
async function hashFor(milliseconds: number, hash: () => Promise<unknown>): Promise<number[]> {
  const endsAt = performance.now() + milliseconds;
  const times: number[] = [];
  while (times.length < 3 || performance.now() < endsAt) {
    const beganAt = performance.now();
    await hash();
    times.push(performance.now() - beganAt);
  }
  return times;
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
