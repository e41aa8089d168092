// Which of many rows or columns are drawn: those in sight, and a few around them.

interface RangeOptions {
  readonly count: number;
  /** Where one begins; that of `count` is where the last one ends. */
  readonly offsetOf: (place: number) => number;
  readonly from: number;
  readonly to: number;
  /** How many more are drawn each way. Ranges begin and end at multiples of it, so that they change seldom. */
  readonly spare: number;
}

export interface Range {
  readonly first: number;
  /** One behind the last. */
  readonly end: number;
}

export function findRange({ count, offsetOf, from, to, spare }: RangeOptions): Range {
  const first = Math.max(0, placeAt(offsetOf, count, from));
  const last = placeAt(offsetOf, count, to);
  return {
    first: Math.max(0, Math.floor(first / spare) * spare - spare),
    end: Math.min(count, Math.ceil((last + 1) / spare) * spare + spare),
  };
}

/** The places of a range, and one more that must not vanish: the one that has the focus. */
export function listPlaces({ first, end }: Range, pinned: number, count: number): number[] {
  const places = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
  if (pinned < 0 || pinned >= count || (pinned >= first && pinned < end)) return places;
  return pinned < first ? [pinned, ...places] : [...places, pinned];
}

/** The last place that begins at the offset or before it. */
function placeAt(offsetOf: (place: number) => number, count: number, offset: number): number {
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (offsetOf(middle) <= offset) low = middle;
    else high = middle - 1;
  }
  return high;
}
