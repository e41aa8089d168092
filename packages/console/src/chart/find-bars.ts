// Finds the bars at a pointer position or in a brushed range.
import type { Bar } from './build-bars.ts';

export function findBar(bars: readonly Bar[], at: number): number | undefined {
  const found = bars.findIndex(({ from, to }) => from <= at && at < to);
  return found === -1 ? undefined : found;
}

/** The time range of all bars that a brush touched, in either direction. */
export function findRange(
  bars: readonly Bar[],
  one: number,
  other: number,
): { readonly from: number; readonly to: number } | undefined {
  const [low, high] = one < other ? [one, other] : [other, one];
  const touched = bars.filter(({ from, to }) => from < high && to > low);
  const [first, last] = [touched.at(0), touched.at(-1)];
  return first === undefined || last === undefined ? undefined : { from: first.from, to: last.to };
}
