// Pagination: makes a page from one row more than the limit; the extra row shows whether there is a next page.
import type { Cursor } from './cursor.ts';

export interface Page<Item> {
  readonly items: Item[];
  readonly next: string | null;
}

/** Expects up to `limit + 1` rows in the order of the list. */
export function createPage<Row, Item, Position>(
  rows: readonly Row[],
  limit: number,
  { itemOf, positionOf, cursor }: PageShape<Row, Item, Position>,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? cursor.write(positionOf(last)) : null;
  return { items: shown.map(itemOf), next };
}

interface PageShape<Row, Item, Position> {
  readonly itemOf: (row: Row) => Item;
  readonly positionOf: (row: Row) => Position;
  readonly cursor: Cursor<Position>;
}
