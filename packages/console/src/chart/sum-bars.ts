// The summary of a chart in one sentence.
import type { Bar } from './build-bars.ts';

export interface BarSum {
  readonly logins: number;
  readonly failures: number;
  /** The bar with the most logins and failures together; undefined if there are none. */
  readonly highest: Bar | undefined;
}

export function sumBars(bars: readonly Bar[]): BarSum {
  let sum: BarSum = { logins: 0, failures: 0, highest: undefined };
  for (const bar of bars) {
    const { logins, failures, highest } = sum;
    const isHigher = heightOf(bar) > (highest === undefined ? 0 : heightOf(highest));
    sum = {
      logins: logins + bar.logins,
      failures: failures + bar.failures,
      highest: isHigher ? bar : highest,
    };
  }
  return sum;
}

export function heightOf({ logins, failures }: Bar): number {
  return logins + failures;
}
