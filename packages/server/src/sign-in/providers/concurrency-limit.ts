// The concurrency limit of each provider. A request over the limit is rejected before it causes any work. A provider that hangs
// affects only the people who sign in by it.
import { AppError } from '@portcullis/contract';

export interface ProviderConcurrencyLimit {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createProviderConcurrencyLimit(limitPerProvider: number): ProviderConcurrencyLimit {
  const taken = new Map<string, number>();
  return {
    async run(key, work) {
      const before = taken.get(key) ?? 0;
      if (before >= limitPerProvider) throw new AppError('rate_limited', { retryAfterSeconds: 1 });
      taken.set(key, before + 1);
      try {
        return await work();
      } finally {
        const left = (taken.get(key) ?? 1) - 1;
        if (left === 0) taken.delete(key);
        else taken.set(key, left);
      }
    },
  };
}
