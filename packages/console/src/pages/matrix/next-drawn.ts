// Incremental rendering of the grid: a jump over a long distance is spread over several frames, so that it does not
// block the page. Rendered cells stay. Each frame adds a limited number of cells, from the middle row outwards, and
// reuses the elements of rows out of sight, which costs less than creating new ones.
import type { GridColumn } from './grid-columns.ts';

export interface DrawnRow {
  readonly place: number;
  /** The number of its element. */
  readonly slot: number;
  /** The columns with which it was rendered. */
  readonly columns: readonly GridColumn[];
}

export interface Wanted {
  readonly places: readonly number[];
  readonly columns: readonly GridColumn[];
  /** The index of the focused row, which is rendered at once. */
  readonly pinned: number;
}

/** The cost of a row besides its new cells, in cells. */
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
  // Unused elements stay for the rows that are still missing. They keep the order of the document,
  // so that no element moves.
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
