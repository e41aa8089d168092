// Mappings while they are edited: rows in their order, of which the first that matches counts. Fields are texts, and empty
// where nothing is chosen.
export interface MappingRow {
  /** Stays with the row wherever it is moved. */
  readonly key: number;
  group: string;
  role: string;
  department: string;
}

export interface Mapping {
  group: string;
  roleId: number;
  departmentId: number | null;
}

/** Stands for everybody whom the provider knows. */
const everybody = '*';
const adminRole = '1';

export function toRows(mappings: readonly Mapping[], nextKey: () => number): MappingRow[] {
  return mappings.map(({ group, roleId, departmentId }) => ({
    key: nextKey(),
    group,
    role: String(roleId),
    department: departmentId === null ? '' : String(departmentId),
  }));
}

export function toMappings(rows: readonly MappingRow[]): Mapping[] {
  return rows.map(({ group, role, department }) => ({
    group: group.trim(),
    roleId: Number(role),
    departmentId: department === '' ? null : Number(department),
  }));
}

/** One place up or down; as they are where there is none. */
export function moveRow(rows: readonly MappingRow[], from: number, by: 1 | -1): MappingRow[] {
  const moved = rows[from];
  if (moved === undefined || rows[from + by] === undefined) return [...rows];
  return rows.toSpliced(from, 1).toSpliced(from + by, 0, moved);
}

/** Why a row cannot be applied. */
export function faultOf({ group, role }: MappingRow): 'group' | 'role' | 'everybodyAdmin' | undefined {
  if (group.trim() === '') return 'group';
  if (role === '') return 'role';
  return group.trim() === everybody && role === adminRole ? 'everybodyAdmin' : undefined;
}

/** Whether a row before it takes all that it would match. */
export function isIdle(rows: readonly MappingRow[], index: number): boolean {
  const group = rows[index]?.group.trim().toLowerCase();
  return rows
    .slice(0, index)
    .map((before) => before.group.trim().toLowerCase())
    .some((before) => before === everybody || (before !== '' && before === group));
}
