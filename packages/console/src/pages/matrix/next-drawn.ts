// What of the grid is drawn next: a jump to far away is spread over frames, so that it does not hold up the page. What is
// drawn stays; so many more cells come at a time, from the middle row outwards, in elements whose rows are out of sight: to
// fill one anew costs less than to make one.
import type { GridColumn } from './grid-columns.ts';

export interface DrawnRow {
  readonly place: number;
  /** The number of its element. */
  readonly slot: number;
  /** Those that it was drawn with. */
  readonly columns: readonly GridColumn[];
}

export interface Wanted {
  readonly places: readonly number[];
  readonly columns: readonly GridColumn[];
  /** The place of the row that has the focus: it is drawn at once. */
  readonly pinned: number;
}

/** What a row costs beside its new cells, as if it were so many cells. */
const rowCells = 5;

export function nextDrawn(
  drawn: readonly DrawnRow[],
  { places, columns, pinned }: Wanted,
  mostCells: number,
): DrawnRow[] {
  const inSight = new Set(places);
  const shown = new Map(drawn.filter(({ place }) => inSight.has(place)).map((row) => [row.place, row]));
  const left = drawn.filter(({ place }) => !inSight.has(place));
  const middle = places[places.length >> 1] ?? 0;
  const distanceOf = (place: number) => (place === pinned ? -1 : Math.abs(place - middle));
  let unused = Math.max(-1, ...drawn.map(({ slot }) => slot)) + 1;
  let cells = 0;
  let isDone = true;
  for (const place of places.toSorted((one, other) => distanceOf(one) - distanceOf(other))) {
    const row = shown.get(place);
    if (row?.columns === columns) continue;
    cells += rowCells + countNew(row?.columns ?? [], columns);
    isDone = place === pinned || cells <= mostCells;
    if (!isDone) break;
    shown.set(place, { place, slot: row?.slot ?? left.pop()?.slot ?? unused++, columns });
  }
  // Elements wait for the rows that are still missing. In the order of the document, in which nothing moves.
  return [...shown.values(), ...(isDone ? [] : left)].sort((one, other) => one.slot - other.slot);
}

export function isAllDrawn(drawn: readonly DrawnRow[], { places, columns }: Wanted): boolean {
  const shown = new Set(drawn.filter((row) => row.columns === columns).map(({ place }) => place));
  return places.every((place) => shown.has(place));
}

function countNew(before: readonly GridColumn[], after: readonly GridColumn[]): number {
  const known = new Map(before.map(({ column, role }) => [column, role]));
  return after.filter(({ column, role }) => known.get(column) !== role).length;
}
