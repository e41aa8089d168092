// Decides whether the rows that a caller sees contain all rows that a change concerns. Works on departments only, never on users or
// rows: a million holders of a role in fifty departments count as fifty.
import type { DataScope } from '@portcullis/contract';

/** A data scope, with the departments of scope 2. */
export interface Scope {
  readonly dataScope: DataScope;
  readonly departmentIds: readonly number[];
}

/** The rows that a caller sees. */
export type ManageableRows =
  | { readonly kind: 'all' }
  | { readonly kind: 'own' }
  | { readonly kind: 'below'; readonly departmentId: number }
  | {
      readonly kind: 'departments';
      readonly departmentIds: ReadonlySet<number>;
      /** Those of the departments that have a child outside the set. */
      readonly gaps: readonly number[];
    };

/** Rows that a change concerns: all, those of a department, or of a department and all below it. */
export type Rows =
  | { readonly kind: 'all' }
  | { readonly kind: 'department'; readonly departmentId: number }
  | { readonly kind: 'below'; readonly departmentId: number };

/** The parents of departments and of all their ancestors; null at the top. */
export type Parents = ReadonlyMap<number, number | null>;

/**
 * The rows that a role shows to holders in these departments. The holders are rows too: a caller who does not see a user cannot
 * change anything about the user. Without holders, a scope that depends on their departments shows nothing.
 */
export function rowsOfPeople(scope: Scope, departmentIds: readonly number[]): Rows[] {
  const kind = scope.dataScope === '4' ? 'below' : 'department';
  return [...rowsOfAnybody(scope), ...departmentIds.map((departmentId) => ({ kind, departmentId }) as const)];
}

/** The rows that a role shows to the caller, who always sees its own rows. */
export function rowsOfSelf(scope: Scope, departmentId: number): Rows[] {
  return scope.dataScope === '3' || scope.dataScope === '4'
    ? rowsOfPeople(scope, [departmentId])
    : rowsOfAnybody(scope);
}

function rowsOfAnybody({ dataScope, departmentIds }: Scope): Rows[] {
  if (dataScope === '1') return [{ kind: 'all' }];
  if (dataScope !== '2') return [];
  return departmentIds.map((departmentId) => ({ kind: 'department', departmentId }));
}

/** The departments whose ancestors must be known for `covers`. */
export function departmentsToClimb(manageable: ManageableRows, rows: readonly Rows[]): readonly number[] {
  if (manageable.kind === 'departments')
    return rows.some(({ kind }) => kind === 'below') ? manageable.gaps : [];
  if (manageable.kind !== 'below') return [];
  return [...new Set(rows.flatMap((each) => (each.kind === 'all' ? [] : [each.departmentId])))];
}

/** Rows outside any department, and rows of unknown departments, are covered only if the caller sees all rows. */
export function covers(manageable: ManageableRows, rows: readonly Rows[], parents: Parents): boolean {
  switch (manageable.kind) {
    case 'all':
      return true;
    case 'own':
      return rows.length === 0;
    case 'below': {
      const isBelow = createIsBelow(manageable.departmentId, parents);
      return rows.every((each) => each.kind !== 'all' && isBelow(each.departmentId));
    }
    case 'departments': {
      const torn = above(manageable.gaps, parents);
      return rows.every(
        (each) =>
          each.kind !== 'all' &&
          manageable.departmentIds.has(each.departmentId) &&
          (each.kind === 'department' || !torn.has(each.departmentId)),
      );
    }
  }
}

/** The departments that are ancestors of the moved one before the move or after it, but not both. */
export function findChangedAncestors(from: number | null, to: number | null, parents: Parents): number[] {
  const before = above(from === null ? [] : [from], parents);
  const after = above(to === null ? [] : [to], parents);
  return [...[...before].filter((id) => !after.has(id)), ...[...after].filter((id) => !before.has(id))];
}

/** The departments and all their ancestors. */
function above(departmentIds: readonly number[], parents: Parents): Set<number> {
  const found = new Set<number>();
  for (const start of departmentIds)
    for (let id: number | null | undefined = start; id != null && !found.has(id); id = parents.get(id))
      found.add(id);
  return found;
}

/** Climbs from each department at most once, however often it is called. */
function createIsBelow(outerId: number, parents: Parents): (id: number) => boolean {
  const known = new Map<number, boolean>([[outerId, true]]);
  return (start) => {
    const way: number[] = [];
    let id: number | null | undefined = start;
    while (id != null && !known.has(id) && way.length <= parents.size) {
      way.push(id);
      id = parents.get(id);
    }
    const answer = id != null && known.get(id) === true;
    for (const passed of way) known.set(passed, answer);
    return answer;
  };
}
