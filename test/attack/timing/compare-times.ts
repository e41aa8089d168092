// Whether two kinds of answers can be told apart by their time. Pairs are compared, so that a machine that slows down
// for a while slows both sides.
import { Random } from '../../fuzz/random.ts';

export interface Comparison {
  /** Of the median of the differences, by bootstrap. */
  readonly interval99: readonly [number, number];
  /** How often one from the second kind takes longer than one from the first: 0.5 tells nothing. */
  readonly auc: number;
}

export function compareTimes(pairs: readonly (readonly [number, number])[], seed = 1): Comparison {
  const differences = pairs.map(([first, second]) => second - first);
  const random = new Random(seed);
  const medians = Array.from({ length: 1000 }, () =>
    medianOf(Array.from(differences, () => random.pick(differences))),
  ).sort((a, b) => a - b);
  const at = (share: number) => medians[Math.round(share * (medians.length - 1))] ?? Number.NaN;
  return { interval99: [at(0.005), at(0.995)], auc: areaUnderCurve(pairs) };
}

function medianOf(values: number[]): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** By ranks (Mann and Whitney); equal times share theirs. */
function areaUnderCurve(pairs: readonly (readonly [number, number])[]): number {
  const all = pairs
    .flatMap(([first, second]) => [
      { time: first, isSecond: false },
      { time: second, isSecond: true },
    ])
    .sort((a, b) => a.time - b.time);
  let ranks = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to]?.time === all[from]?.time) to += 1;
    const rank = (from + 1 + to) / 2;
    ranks += rank * all.slice(from, to).filter(({ isSecond }) => isSecond).length;
    from = to;
  }
  const count = pairs.length;
  return (ranks - (count * (count + 1)) / 2) / (count * count);
}
