// Keyboard navigation of a tree (WAI-ARIA tree view pattern). It knows only the visible rows, in order.
export interface TreeRow {
  readonly name: string;
  readonly level: number;
  /** Undefined for a row without children. */
  readonly isOpen: boolean | undefined;
}

export type TreeMove =
  | { readonly kind: 'focus'; readonly place: number }
  /** Opens or closes the row, or triggers its action. */
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

/** Undefined while the children are loading. */
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

/** The next row that begins with the letter, wrapping around at the end. */
function focusByLetter(rows: readonly TreeRow[], place: number, letter: string): TreeMove | undefined {
  const inTurn = [...rows.keys()].map((step) => (place + 1 + step) % rows.length);
  const found = inTurn.find((at) => rows[at]?.name.toLowerCase().startsWith(letter.toLowerCase()));
  return found === undefined ? undefined : focus(rows, found);
}
