// Departments come as a flat list by name, each with its parent. Here they are put in the order of their tree.
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

/** Each is followed by those below it. One whose parent cannot be seen stands at the top. */
export function listTree(departments: readonly FlatDepartment[]): PlacedDepartment[] {
  const known = new Set(departments.map(({ id }) => id));
  const below = Map.groupBy(departments, ({ parentId }) =>
    parentId !== null && known.has(parentId) ? parentId : null,
  );
  const levelOf = (id: number | null, depth: number) =>
    (below.get(id) ?? []).map((one) => ({ one, depth })).reverse();
  const placed: PlacedDepartment[] = [];
  // Not by recursion: a chain of departments can be longer than the stack.
  const waiting = levelOf(null, 0);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { one, depth } = next;
    placed.push({ id: one.id, name: one.name, depth, hasChildren: below.has(one.id) });
    waiting.push(...levelOf(one.id, depth + 1));
  }
  return placed;
}

/** The department itself and everything below it. */
export function withBelow(placed: readonly PlacedDepartment[], id: number): PlacedDepartment[] {
  const [start, end] = spanOf(placed, id);
  return placed.slice(start, end);
}

/** Where a department cannot be moved to is left out: itself, and what is below it. */
export function withoutBelow(placed: readonly PlacedDepartment[], id: number): PlacedDepartment[] {
  const [start, end] = spanOf(placed, id);
  return [...placed.slice(0, start), ...placed.slice(end)];
}

/** From the department to the next one that is not below it. */
function spanOf(placed: readonly PlacedDepartment[], id: number): [start: number, end: number] {
  const start = placed.findIndex((one) => one.id === id);
  const depth = placed[start]?.depth;
  if (depth === undefined) return [0, 0];
  const end = placed.findIndex((one, place) => place > start && one.depth <= depth);
  return [start, end === -1 ? placed.length : end];
}

/** Those whose name has the text in either case, with what they stand below; all for an empty text. */
export function findInTree(placed: readonly PlacedDepartment[], text: string): PlacedDepartment[] {
  const wanted = text.trim().toLowerCase();
  // Backwards, the next one that stands less deep is the parent.
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
