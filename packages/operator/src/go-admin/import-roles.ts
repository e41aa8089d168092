// Imports roles by their keys. go-admin's `admin` maps to the role `admin`; every other role is created, or
// left unchanged if it exists.
import { dataScopeOf, isRoleKey } from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import { isAdminLookAlike } from '@portcullis/server/people/roles/admin-look-alike.ts';
import { disableRole, insertRole } from '@portcullis/server/people/roles/role-access-store.ts';
import { adminRoleId, findRole } from '@portcullis/server/people/roles/role-store.ts';
import type { DepartmentIds } from './import-departments.ts';
import { insertAdminRole, listRoleIds } from './import-store.ts';
import { createTally, type ImportWork, isDisplayName, type Tally } from './import-work.ts';
import type { SourceRow } from './source.ts';
import { isDeleted, readRoleDepartments, readTable } from './source-tables.ts';
import { createStatusReader, type StatusReader } from './status.ts';

interface SourceRole {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly what: string;
  readonly status: string;
  readonly dataScope: string;
}

export interface ImportedRole {
  readonly id: number;
  readonly roleKey: string;
  readonly isNew: boolean;
  readonly enabled: boolean;
}

export interface ImportedRoles {
  readonly tally: Tally;
  /** By go-admin's ids. */
  readonly byId: ReadonlyMap<string, ImportedRole>;
  readonly changes: readonly Change[];
  readonly readStatus: StatusReader;
}

/** Maps a role key of go-admin to a role key of this service. */
export type RenameRole = (key: string) => string;

export async function importRoles(
  work: ImportWork,
  departments: DepartmentIds,
  rename: RenameRole,
): Promise<ImportedRoles> {
  const { transaction, findings, source } = work;
  const tally = createTally();
  const roles = await readRoles(work, tally, rename);
  const readStatus = createStatusReader(roles.map(({ status }) => status));
  const scopes = await readScopes(source);
  const stored = await listRoleIds(transaction);
  const withKey = Map.groupBy(roles, ({ key }) => key);
  const byId = new Map<string, ImportedRole>();
  const changes: Change[] = [];

  for (const role of roles) {
    const problem = problemOf(role.key, withKey.get(role.key)?.length ?? 0);
    if (problem !== undefined) {
      findings.add(problem, role.what);
      continue;
    }
    const status = readStatus(role.status);
    const here = stored.get(role.key);
    if (here === undefined) await add(role, status);
    else {
      tally.thereAlready += 1;
      byId.set(role.id, { id: here, roleKey: role.key, isNew: false, enabled: status === 'enabled' });
    }
  }
  tally.leftOut = findings.countLeftOut('roles');
  work.onProgress(`${roles.length} roles`);
  return { tally, byId, changes, readStatus };

  async function add(role: SourceRole, status: ReturnType<StatusReader>): Promise<void> {
    const name = isDisplayName(role.name) ? role.name : role.key;
    if (name !== role.name) findings.add('role_name_replaced', role.what);
    const enabled = status === 'enabled';
    const isAdmin = role.key === 'admin';
    if (status === 'unknown' && !isAdmin)
      findings.add('role_status_unknown', role.what, `It is "${role.status}".`);
    const id = isAdmin ? await addAdmin(name) : await addOther(role, name, enabled);
    tally.imported += 1;
    stored.set(role.key, id);
    byId.set(role.id, { id, roleKey: role.key, isNew: true, enabled });
    const [target, after] = [`role ${id}`, await findRole(transaction, id)];
    await work.recordChange(transaction, work.call, { action: 'role.create', target, before: null, after });
  }

  async function addAdmin(name: string): Promise<number> {
    await insertAdminRole(transaction, name);
    changes.push({ kind: 'role_set', id: adminRoleId, roleKey: 'admin', dataScope: '1' });
    return adminRoleId;
  }

  async function addOther(role: SourceRole, name: string, enabled: boolean): Promise<number> {
    const dataScope = dataScopeOf(role.dataScope);
    if (dataScope !== role.dataScope)
      findings.add('role_scope_unknown', role.what, `It is "${role.dataScope}".`);
    const departmentIds = dataScope === '2' ? chosenDepartments(role) : [];
    const created = await insertRole(transaction, { roleKey: role.key, name, dataScope, departmentIds });
    if (enabled) changes.push(...created.changes);
    else await disableRole(transaction, { id: created.id, roleKey: role.key, dataScope, enabled: true });
    return created.id;
  }

  function chosenDepartments(role: SourceRole): number[] {
    const chosen = scopes.get(role.id) ?? [];
    const known = chosen.flatMap((id) => departments.get(id) ?? []);
    if (known.length < chosen.length)
      findings.add('role_scope_departments', role.what, `${known.length} of ${chosen.length} are here.`);
    return known;
  }
}

function problemOf(key: string, withThisKey: number) {
  // In go-admin too, the role of this name is the administrator.
  if (key === 'admin') return undefined;
  if (!isRoleKey(key)) return 'role_key_unfit';
  if (isAdminLookAlike(key)) return 'role_key_admin_alike';
  return withThisKey > 1 ? 'role_key_twice' : undefined;
}

async function readRoles(work: ImportWork, tally: Tally, rename: RenameRole): Promise<SourceRole[]> {
  const roles: SourceRole[] = [];
  for await (const page of await readTable(work.source, 'sys_role'))
    for (const row of page) {
      tally.read += 1;
      if (isDeleted(row)) tally.deleted += 1;
      else roles.push(roleOf(row, rename));
    }
  return roles;
}

function roleOf(row: SourceRow, rename: RenameRole): SourceRole {
  const [id, key] = [row.role_id ?? '', row.role_key ?? ''];
  return {
    id,
    key: rename(key),
    name: row.role_name ?? '',
    what: `${id} ${key}`,
    status: row.status ?? '',
    dataScope: row.data_scope ?? '',
  };
}

async function readScopes(source: ImportWork['source']): Promise<Map<string, string[]>> {
  const scopes = new Map<string, string[]>();
  for await (const page of readRoleDepartments(source))
    for (const { role_id: roleId, dept_id: departmentId } of page) {
      const chosen = scopes.get(roleId ?? '') ?? [];
      scopes.set(roleId ?? '', chosen);
      chosen.push(departmentId ?? '');
    }
  return scopes;
}
