// The dimensions of the grid, and its columns.
import type { MatrixRole } from './load-matrix.ts';

export const rowHeight = 36;

const narrowColumn = 48;
const [roomyLeast, roomyMost] = [88, 128];
const [endpointLeast, endpointUsual] = [220, 460];
const endpointShare = 0.4;

export interface GridMeasures {
  readonly endpointWidth: number;
  readonly columnWidth: number;
  readonly headHeight: number;
  /** Whether the columns are wide enough for horizontal role keys; otherwise the keys are vertical. */
  readonly isRoomy: boolean;
}

export interface GridColumn {
  /** From 1: column 0 holds the endpoints. */
  readonly column: number;
  readonly role: MatrixRole;
  /** The margin that replaces the columns before it that are not rendered. The grid sets the width of all columns. */
  readonly style?: { readonly marginLeft: string };
}

/**
 * Few roles get wide columns, many get narrow ones. The endpoints get the remaining width, but at least a readable one.
 */
export function measureGrid(gridWidth: number, roles: number): GridMeasures {
  const least = Math.min(endpointUsual, Math.max(endpointLeast, Math.round(gridWidth * endpointShare)));
  const share = Math.floor((gridWidth - least) / Math.max(1, roles));
  const isRoomy = share >= roomyLeast;
  const columnWidth = isRoomy ? Math.min(share, roomyMost) : narrowColumn;
  return {
    endpointWidth: Math.max(least, gridWidth - roles * columnWidth),
    columnWidth,
    headHeight: isRoomy ? 64 : 136,
    isRoomy,
  };
}

export function listColumns(
  places: readonly number[],
  roles: readonly MatrixRole[],
  columnWidth: number,
): GridColumn[] {
  return places.flatMap((place, index) => {
    const role = roles[place];
    const leftOut = place - (places[index - 1] ?? -1) - 1;
    if (role === undefined) return [];
    const column = { column: place + 1, role };
    return [leftOut > 0 ? { ...column, style: { marginLeft: `${leftOut * columnWidth}px` } } : column];
  });
}
