// Virtualisation: finds the rows or columns to render, which are the visible ones and some around them.

interface RangeOptions {
  readonly count: number;
  /** The offset of an item; for `count`, the end of the last one. */
  readonly offsetOf: (place: number) => number;
  readonly from: number;
  readonly to: number;
  /**
   * The number of extra items in each direction. Ranges begin and end at multiples of it, so that they change rarely.
   */
  readonly spare: number;
}

export interface Range {
  readonly first: number;
  /** The index after the last item. */
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

/** The indices of a range, plus the focused item, which must stay rendered. */
export function listPlaces({ first, end }: Range, pinned: number, count: number): number[] {
  const places = Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
  if (pinned < 0 || pinned >= count || (pinned >= first && pinned < end)) return places;
  return pinned < first ? [pinned, ...places] : [...places, pinned];
}

/** The last item that begins at or before the offset. */
function placeAt(offsetOf: (place: number) => number, count: number, offset: number): number {
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (offsetOf(middle) <= offset) low = middle;
    else high = middle - 1;
  }
  return high;
}
