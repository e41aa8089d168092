// Which rows of a list are selected. With Shift a click takes everything between the last click and this one along.
export interface Selection {
  readonly ids: ReadonlySet<number>;
  /** Where a range begins: what was clicked last. */
  readonly anchor: number | undefined;
}

export const nothingSelected: Selection = { ids: new Set(), anchor: undefined };

/** `shown` are the rows in their order that can be selected. */
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
