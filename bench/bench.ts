// What every bench is to the command line.

export interface Bench {
  readonly run: (options: BenchOptions) => Promise<BenchResult>;
}

export interface BenchOptions {
  readonly quick: boolean;
  /** How large, where the bench has no size of its own. */
  readonly rows?: number;
  /** The folder of another checkout that is measured beside this one, where the bench can. */
  readonly beside?: string;
}

export interface BenchResult {
  /** Markdown. */
  readonly tables: string;
  readonly bars: readonly Bar[];
  /** SVG files by name, for `docs/reference/benchmarks/`. */
  readonly charts: Readonly<Record<string, string>>;
}

/** One promise with its measured value. */
export interface Bar {
  readonly what: string;
  readonly value: number;
  readonly limit: number;
  readonly unit: string;
  readonly better: 'lower' | 'higher';
}

/** Slack is how many times worse it may be. */
export function isMet({ value, limit, better }: Bar, slack = 1): boolean {
  return better === 'lower' ? value <= limit * slack : value >= limit / slack;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('There is no median of nothing.');
  return middle;
}

/** The lower quartile. Of rounds on a shared machine, it is one that little disturbed. */
export function lowerQuartile(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return median(sorted.slice(0, Math.ceil(sorted.length / 2)));
}

/** One measured fact, as a JSON line. */
export function printLine(line: Readonly<Record<string, unknown>>): void {
  console.log(JSON.stringify(line));
}
