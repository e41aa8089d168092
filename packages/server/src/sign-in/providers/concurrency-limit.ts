// How many ask one provider at once. Whoever is too many is refused before it costs anything; a provider that hangs keeps
// out those who come by way of it, and nobody else.
import { AppError } from '@portcullis/contract';

export interface ProviderConcurrencyLimit {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createProviderConcurrencyLimit(placesOfProvider: number): ProviderConcurrencyLimit {
  const taken = new Map<string, number>();
  return {
    async run(key, work) {
      const before = taken.get(key) ?? 0;
      if (before >= placesOfProvider) throw new AppError('rate_limited', { retryAfterSeconds: 1 });
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
