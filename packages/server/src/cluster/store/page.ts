// A page of a list, made of one row more than was asked for: that one tells whether there is a next page.
import type { Cursor } from './cursor.ts';

export interface Page<Item> {
  readonly items: Item[];
  readonly next: string | null;
}

/** Takes up to `limit + 1` rows, in the order of the list. */
export function createPage<Row, Item, Place>(
  rows: readonly Row[],
  limit: number,
  { itemOf, placeOf, cursor }: PageShape<Row, Item, Place>,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? cursor.write(placeOf(last)) : null;
  return { items: shown.map(itemOf), next };
}

interface PageShape<Row, Item, Place> {
  readonly itemOf: (row: Row) => Item;
  readonly placeOf: (row: Row) => Place;
  readonly cursor: Cursor<Place>;
}
