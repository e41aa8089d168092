// How long calls took, as the percentiles that a bar names.

export interface Latency {
  add(milliseconds: number): void;
  /** `p50 4.1 ms, p99 12.0 ms, max 20.3 ms of 1,000 calls`. */
  text(): string;
  at(quantile: number): number;
  /** Whether p99 is; of so few calls that the machine's own pause in one of them would be p99, whether the median is. */
  isWithin(milliseconds: number): boolean;
}

const fewCalls = 1000;

export function createLatency(): Latency {
  const times: number[] = [];
  const at = (quantile: number) => {
    const sorted = times.toSorted((one, other) => one - other);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? 0;
  };
  return {
    add: (milliseconds) => void times.push(milliseconds),
    at,
    isWithin: (milliseconds) => at(times.length < fewCalls ? 0.5 : 0.99) <= milliseconds,
    text: () =>
      `p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms, max ${at(1).toFixed(1)} ms of ${times.length.toLocaleString('en')} calls`,
  };
}
