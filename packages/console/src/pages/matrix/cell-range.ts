// A rectangle of cells between two cells of the grid. It never contains the headers (row 0:
// roles, column 0: endpoints).
import type { Place } from './move-focus.ts';

export interface CellRange {
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
}

export function rangeBetween(one: Place, other: Place): CellRange {
  const [rows, columns] = [
    [one.row, other.row],
    [one.column, other.column],
  ].map((places) => places.map((place) => Math.max(1, place)).sort((a, b) => a - b));
  const [firstRow = 1, lastRow = 1] = rows ?? [];
  const [firstColumn = 1, lastColumn = 1] = columns ?? [];
  return { firstRow, lastRow, firstColumn, lastColumn };
}

export function isInRange(range: CellRange, { row, column }: Place): boolean {
  const { firstRow, lastRow, firstColumn, lastColumn } = range;
  return row >= firstRow && row <= lastRow && column >= firstColumn && column <= lastColumn;
}
