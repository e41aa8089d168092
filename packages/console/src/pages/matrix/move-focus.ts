// Keyboard navigation of the grid. Row 0 holds the roles, column 0 the endpoints.

export interface Place {
  readonly row: number;
  readonly column: number;
}

interface GridSize {
  readonly rows: number;
  readonly columns: number;
  /** The number of rows that PageUp and PageDown move. */
  readonly pageRows: number;
}

interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** Undefined for keys that the grid does not handle. */
export function moveFocus(from: Place, { key, ctrlKey, metaKey }: Key, size: GridSize): Place | undefined {
  const isFar = ctrlKey || metaKey;
  const to = isFar ? farPlace(key, size) : nearPlace(from, key, size);
  return to === undefined ? undefined : clampPlace(to, size);
}

export function clampPlace({ row, column }: Place, { rows, columns }: Omit<GridSize, 'pageRows'>): Place {
  return { row: clamp(row, rows), column: clamp(column, columns) };
}

function nearPlace({ row, column }: Place, key: string, { columns, pageRows }: GridSize): Place | undefined {
  switch (key) {
    case 'ArrowUp':
      return { row: row - 1, column };
    case 'ArrowDown':
      return { row: row + 1, column };
    case 'ArrowLeft':
      return { row, column: column - 1 };
    case 'ArrowRight':
      return { row, column: column + 1 };
    case 'Home':
      return { row, column: 0 };
    case 'End':
      return { row, column: columns - 1 };
    case 'PageUp':
      return { row: row - pageRows, column };
    case 'PageDown':
      return { row: row + pageRows, column };
    default:
      return undefined;
  }
}

function farPlace(key: string, { rows, columns }: GridSize): Place | undefined {
  if (key === 'Home') return { row: 0, column: 0 };
  return key === 'End' ? { row: rows - 1, column: columns - 1 } : undefined;
}

function clamp(value: number, count: number): number {
  return Math.max(0, Math.min(count - 1, value));
}
