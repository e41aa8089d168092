// Where the arrow keys lead in a tree, as the ARIA practices have it. It knows only the rows that are shown, in order.
export interface TreeRow {
  readonly name: string;
  readonly level: number;
  /** Undefined where nothing is below. */
  readonly isOpen: boolean | undefined;
}

export type TreeMove =
  | { readonly kind: 'focus'; readonly place: number }
  /** Opens or closes the row, or does what it is there for. */
  | { readonly kind: 'press' };

export function moveInTree(rows: readonly TreeRow[], place: number, key: string): TreeMove | undefined {
  const row = rows[place];
  if (row === undefined) return undefined;
  switch (key) {
    case 'ArrowDown':
      return focus(rows, place + 1);
    case 'ArrowUp':
      return focus(rows, place - 1);
    case 'Home':
      return focus(rows, 0);
    case 'End':
      return focus(rows, rows.length - 1);
    case 'ArrowRight':
      if (row.isOpen === undefined) return undefined;
      return row.isOpen ? focusFirstBelow(rows, place, row) : { kind: 'press' };
    case 'ArrowLeft':
      return row.isOpen === true ? { kind: 'press' } : focusAbove(rows, place, row);
    case 'Enter':
    case ' ':
      return { kind: 'press' };
    default:
      return [...key].length === 1 ? focusByLetter(rows, place, key) : undefined;
  }
}

function focus(rows: readonly TreeRow[], place: number): TreeMove | undefined {
  return rows[place] === undefined ? undefined : { kind: 'focus', place };
}

/** None while what is below is still loading. */
function focusFirstBelow(rows: readonly TreeRow[], place: number, { level }: TreeRow): TreeMove | undefined {
  const next = rows[place + 1];
  return next !== undefined && next.level > level ? focus(rows, place + 1) : undefined;
}

function focusAbove(rows: readonly TreeRow[], place: number, { level }: TreeRow): TreeMove | undefined {
  return focus(
    rows,
    rows.findLastIndex((other, at) => at < place && other.level < level),
  );
}

/** The next one that begins so, around the end. */
function focusByLetter(rows: readonly TreeRow[], place: number, letter: string): TreeMove | undefined {
  const inTurn = [...rows.keys()].map((step) => (place + 1 + step) % rows.length);
  const found = inTurn.find((at) => rows[at]?.name.toLowerCase().startsWith(letter.toLowerCase()));
  return found === undefined ? undefined : focus(rows, found);
}
