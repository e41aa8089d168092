// The options of a department list, indented by their depth in the tree.
import type { PlacedDepartment } from './department-tree.ts';

interface Option {
  readonly value: string;
  readonly label: string;
}

interface Wanted {
  /** The label of the empty choice: any department, or the top. */
  readonly none?: string | undefined;
  /** The current choice, which can be missing in the list: not visible, or not loaded. */
  readonly current?: { readonly id: number; readonly name: string } | undefined;
}

const step = '\u2003';

export function departmentOptions(placed: readonly PlacedDepartment[], { none, current }: Wanted): Option[] {
  const isMissing = current !== undefined && placed.every(({ id }) => id !== current.id);
  return [
    ...(none === undefined ? [] : [{ value: '', label: none }]),
    ...(isMissing ? [{ value: String(current.id), label: current.name }] : []),
    ...placed.map(({ id, name, depth }) => ({ value: String(id), label: step.repeat(depth) + name })),
  ];
}
