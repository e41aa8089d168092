// Orders the flat list of departments (by name, with parent) as a tree.
interface FlatDepartment {
  readonly id: number;
  readonly name: string;
  readonly parentId: number | null;
}

export interface PlacedDepartment {
  readonly id: number;
  readonly name: string;
  /** 0 at the top. */
  readonly depth: number;
  readonly hasChildren: boolean;
}

/** Each department is followed by its descendants. If its parent is not visible, it is at the top. */
export function listTree(departments: readonly FlatDepartment[]): PlacedDepartment[] {
  const known = new Set(departments.map(({ id }) => id));
  const below = Map.groupBy(departments, ({ parentId }) =>
    parentId !== null && known.has(parentId) ? parentId : null,
  );
  const levelOf = (id: number | null, depth: number) =>
    (below.get(id) ?? []).map((one) => ({ one, depth })).reverse();
  const placed: PlacedDepartment[] = [];
  // Without recursion, because a chain of departments can be longer than the call stack.
  const waiting = levelOf(null, 0);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { one, depth } = next;
    placed.push({ id: one.id, name: one.name, depth, hasChildren: below.has(one.id) });
    waiting.push(...levelOf(one.id, depth + 1));
  }
  return placed;
}

/** The department and all its descendants. */
export function withBelow(placed: readonly PlacedDepartment[], id: number): PlacedDepartment[] {
  const [start, end] = spanOf(placed, id);
  return placed.slice(start, end);
}

/** Leaves out the targets of an impossible move: the department and its descendants. */
export function withoutBelow(placed: readonly PlacedDepartment[], id: number): PlacedDepartment[] {
  const [start, end] = spanOf(placed, id);
  return [...placed.slice(0, start), ...placed.slice(end)];
}

/** The index range of the department and its descendants. */
function spanOf(placed: readonly PlacedDepartment[], id: number): [start: number, end: number] {
  const start = placed.findIndex((one) => one.id === id);
  const depth = placed[start]?.depth;
  if (depth === undefined) return [0, 0];
  const end = placed.findIndex((one, place) => place > start && one.depth <= depth);
  return [start, end === -1 ? placed.length : end];
}

/** The departments whose name contains the text, ignoring case, with their ancestors; all for an empty text. */
export function findInTree(placed: readonly PlacedDepartment[], text: string): PlacedDepartment[] {
  const wanted = text.trim().toLowerCase();
  // Going backwards, the next department with a smaller depth is the parent.
  let parentBefore = 0;
  return placed
    .toReversed()
    .filter(({ name, depth }) => {
      const isKept = depth < parentBefore || name.toLowerCase().includes(wanted);
      if (isKept) parentBefore = depth;
      return isKept;
    })
    .reverse();
}
