// A Prometheus histogram: counts durations in buckets.

export interface Distribution {
  /** For each bound, the count of durations up to it; the bound infinity counts all. */
  readonly buckets: readonly (readonly [bound: number, count: number])[];
  readonly sum: number;
}

export interface Histogram {
  observe(seconds: number): void;
  read(): Distribution;
}

export function createHistogram(bounds: readonly number[]): Histogram {
  const upTo = [...bounds, Number.POSITIVE_INFINITY];
  const counts = upTo.map(() => 0);
  let sum = 0;
  return {
    observe(seconds) {
      const index = upTo.findIndex((bound) => seconds <= bound);
      counts[index] = (counts[index] ?? 0) + 1;
      sum += seconds;
    },
    read() {
      let count = 0;
      const buckets = upTo.map((bound, index) => {
        count += counts[index] ?? 0;
        return [bound, count] as const;
      });
      return { buckets, sum };
    },
  };
}
