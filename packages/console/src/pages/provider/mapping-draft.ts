// Editable group mappings: ordered rows, of which the first match applies. Fields are texts,
// and empty without a choice.
export interface MappingRow {
  /** Stays with the row when it is moved. */
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

/** Matches every user of the provider. */
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

/** Moves a row up or down by one; unchanged at the ends. */
export function moveRow(rows: readonly MappingRow[], from: number, by: 1 | -1): MappingRow[] {
  const moved = rows[from];
  if (moved === undefined || rows[from + by] === undefined) return [...rows];
  return rows.toSpliced(from, 1).toSpliced(from + by, 0, moved);
}

/** The reason why a row cannot be applied. */
export function faultOf({ group, role }: MappingRow): 'group' | 'role' | 'everybodyAdmin' | undefined {
  if (group.trim() === '') return 'group';
  if (role === '') return 'role';
  return group.trim() === everybody && role === adminRole ? 'everybodyAdmin' : undefined;
}

/** Whether an earlier row matches everything that this row would match. */
export function isIdle(rows: readonly MappingRow[], index: number): boolean {
  const group = rows[index]?.group.trim().toLowerCase();
  return rows
    .slice(0, index)
    .map((before) => before.group.trim().toLowerCase())
    .some((before) => before === everybody || (before !== '' && before === group));
}
