// Imports the tree of departments, from the roots down. A department is identified by its name and its parent. Two
// siblings of the same name cannot be distinguished, so neither is imported.
import { lockTree } from '@portcullis/server/people/roles/can-manage/department-tree-lock-store.ts';
import { insertDepartments, listDepartments } from './import-store.ts';
import { createTally, type ImportWork, isDisplayName, type Tally } from './import-work.ts';
import { isDeleted, readTable } from './source-tables.ts';

interface Department {
  readonly id: string;
  readonly parentId: string;
  readonly name: string;
  readonly what: string;
}

/** Our ids by go-admin's ids. */
export type DepartmentIds = ReadonlyMap<string, number>;

export async function importDepartments(work: ImportWork): Promise<{ tally: Tally; ids: DepartmentIds }> {
  const { transaction, findings } = work;
  const tally = createTally();
  const departments = await readDepartments(work, tally);
  await lockTree(transaction);
  const stored = indexDepartments(await listDepartments(transaction));
  const below = Map.groupBy(departments.values(), ({ parentId }) => parentId);
  const ids = new Map<string, number>();
  const seen = new Set<string>();

  let level = [...departments.values()].filter(({ parentId }) => parentId === '0');
  while (level.length > 0) {
    const names = Map.groupBy(level, placeInSource);
    const fitting = level.filter((department) => {
      const problem = problemOf(department, (names.get(placeInSource(department))?.length ?? 0) > 1);
      if (problem !== undefined) findings.add(problem, department.what);
      return problem === undefined;
    });
    await settle(fitting);
    for (const { id } of level) seen.add(id);
    work.onProgress(`${seen.size} departments`);
    level = level.flatMap(({ id }) => below.get(id) ?? []);
  }
  for (const department of departments.values())
    if (!seen.has(department.id))
      findings.add(
        isInCircle(departments, department) ? 'department_circle' : 'department_parent_missing',
        department.what,
      );
  tally.leftOut = findings.countLeftOut('departments');
  return { tally, ids };

  function problemOf({ parentId, name }: Department, isTwice: boolean) {
    if (parentId !== '0' && !ids.has(parentId)) return 'department_parent_missing';
    if (!isDisplayName(name)) return 'department_name_unfit';
    const isAmbiguous = stored.find(ids.get(parentId) ?? null, name).length > 1;
    return isTwice || isAmbiguous ? 'department_name_twice' : undefined;
  }

  async function settle(fitting: readonly Department[]): Promise<void> {
    const added: Department[] = [];
    for (const department of fitting) {
      const [id] = stored.find(ids.get(department.parentId) ?? null, department.name);
      if (id === undefined) added.push(department);
      else ids.set(department.id, id);
    }
    tally.thereAlready += fitting.length - added.length;
    tally.imported += added.length;
    const wanted = added.map(({ parentId, name }) => ({ parentId: ids.get(parentId) ?? null, name }));
    const places = indexDepartments(await insertDepartments(transaction, wanted));
    for (const { id, parentId, name } of added) {
      const [here] = places.find(ids.get(parentId) ?? null, name);
      if (here !== undefined) ids.set(id, here);
    }
  }
}

async function readDepartments(work: ImportWork, tally: Tally): Promise<Map<string, Department>> {
  const departments = new Map<string, Department>();
  for await (const page of await readTable(work.source, 'sys_dept'))
    for (const row of page) {
      tally.read += 1;
      const [id, name] = [row.dept_id ?? '', row.dept_name ?? ''];
      const what = `${id} ${name}`;
      if (isDeleted(row)) tally.deleted += 1;
      else departments.set(id, { id, parentId: row.parent_id || '0', name, what });
      if (!isDeleted(row) && row.status === '1') work.findings.add('department_disabled', what);
    }
  return departments;
}

function placeInSource({ parentId, name }: Department): string {
  return `${parentId}/${name}`;
}

function indexDepartments(departments: readonly { id: number; parentId: number | null; name: string }[]) {
  const placeOf = (parentId: number | null, name: string) => `${parentId ?? ''}/${name}`;
  const places = Map.groupBy(departments, ({ parentId, name }) => placeOf(parentId, name));
  return {
    find: (parentId: number | null, name: string): number[] =>
      (places.get(placeOf(parentId, name)) ?? []).map(({ id }) => id),
  };
}

function isInCircle(departments: ReadonlyMap<string, Department>, { id, parentId }: Department): boolean {
  const above = new Set<string>();
  for (let next = departments.get(parentId); next !== undefined && !above.has(next.id); ) {
    if (next.id === id) return true;
    above.add(next.id);
    next = departments.get(next.parentId);
  }
  return false;
}
