// The interface of a benchmark, and the statistics and output that all of them share.

export interface Bench {
  readonly run: (options: BenchOptions) => Promise<BenchResult>;
}

export interface BenchOptions {
  readonly quick: boolean;
  /** The number of rows, for a benchmark without a fixed size. */
  readonly rows?: number;
  /** The folder of another checkout to measure in the same rounds, if the benchmark supports it. */
  readonly beside?: string;
}

export interface BenchResult {
  /** Markdown. */
  readonly tables: string;
  readonly bars: readonly Bar[];
  /** SVG files by name, for `docs/reference/benchmarks/`. */
  readonly charts: Readonly<Record<string, string>>;
}

/** One published limit with its measured value. */
export interface Bar {
  readonly what: string;
  readonly value: number;
  readonly limit: number;
  readonly unit: string;
  readonly better: 'lower' | 'higher';
}

/** `slack` is the factor by which the value can be worse than the limit. */
export function isMet({ value, limit, better }: Bar, slack = 1): boolean {
  return better === 'lower' ? value <= limit * slack : value >= limit / slack;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('There is no median of nothing.');
  return middle;
}

/** The lower quartile: on a shared machine, this round was disturbed little. */
export function lowerQuartile(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return median(sorted.slice(0, Math.ceil(sorted.length / 2)));
}

/** Prints one measurement as a JSON line. */
export function printLine(line: Readonly<Record<string, unknown>>): void {
  console.log(JSON.stringify(line));
}
