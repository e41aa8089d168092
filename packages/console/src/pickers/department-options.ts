// A tree as the choices of a list: what is below stands further in.
import type { PlacedDepartment } from './department-tree.ts';

interface Option {
  readonly value: string;
  readonly label: string;
}

interface Wanted {
  /** The choice of none: any department, or the top. */
  readonly none?: string | undefined;
  /** The one that is chosen now, which can be missing in the list: out of sight, or not read. */
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
