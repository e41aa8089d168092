// The selected rows of a list. A click with Shift selects the range from the previous click.
export interface Selection {
  readonly ids: ReadonlySet<number>;
  /** The start of a range: the last clicked row. */
  readonly anchor: number | undefined;
}

export const nothingSelected: Selection = { ids: new Set(), anchor: undefined };

/** `shown` are the selectable rows in their order. */
export function toggle(
  { ids, anchor }: Selection,
  id: number,
  { shown, isRange }: { readonly shown: readonly number[]; readonly isRange: boolean },
): Selection {
  const isSelected = !ids.has(id);
  const [from, to] = [anchor === undefined ? -1 : shown.indexOf(anchor), shown.indexOf(id)];
  const touched =
    isRange && from !== -1 && to !== -1 ? shown.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
  const next = new Set(ids);
  for (const one of touched)
    if (isSelected) next.add(one);
    else next.delete(one);
  return { ids: next, anchor: id };
}
