// Queries go-admin's tables. Its versions differ: `deleted_at` is a time or a number of milliseconds, the rules are in
// `casbin_rule` or `sys_casbin_rule`, and their kind is in `ptype` or `p_type`.
import type { CasbinRow } from '@portcullis/policy';
import { type Source, SourceFailure, type SourceRow } from './source.ts';

const tables = {
  sys_dept: { key: 'dept_id', needed: ['dept_id', 'parent_id', 'dept_name'], further: ['status'] },
  sys_role: {
    key: 'role_id',
    needed: ['role_id', 'role_name', 'role_key', 'status', 'data_scope'],
    further: [],
  },
  sys_user: {
    key: 'user_id',
    needed: ['user_id', 'username', 'password', 'role_id', 'dept_id', 'status'],
    further: ['nick_name'],
  },
  sys_menu: {
    key: 'menu_id',
    needed: ['menu_id', 'menu_name', 'title', 'path', 'menu_type', 'permission', 'parent_id', 'component'],
    further: ['icon', 'no_cache', 'sort', 'visible'],
  },
} as const;

type Pages = AsyncGenerator<readonly SourceRow[]>;

/** A column that an older version lacks is null. */
export async function readTable(source: Source, table: keyof typeof tables): Promise<Pages> {
  const { key, needed, further } = tables[table];
  const found = await source.listColumns(table);
  const missing = needed.filter((column) => !found.has(column));
  if (missing.length > 0)
    throw new SourceFailure(
      found.size === 0
        ? `The database has no table \`${table}\`. Check that the URL names go-admin's own database.`
        : `The table \`${table}\` lacks ${missing.join(', ')}, which every version of go-admin has. Check the URL.`,
    );
  const columns = [...needed, ...[...further, 'deleted_at'].filter((column) => found.has(column))];
  return source.readPages({ table, columns, orderBy: key });
}

/** Empty if the version has no such table. */
export async function* readRoleDepartments(source: Source): Pages {
  const found = await source.listColumns('sys_role_dept');
  if (found.size > 0) yield* source.readPages({ table: 'sys_role_dept', columns: ['role_id', 'dept_id'] });
}

/** Empty if the version has no such table. */
export async function* readRoleMenus(source: Source): Pages {
  const found = await source.listColumns('sys_role_menu');
  if (found.size > 0) yield* source.readPages({ table: 'sys_role_menu', columns: ['role_id', 'menu_id'] });
}

/** The settings that go-admin publishes to every user; empty if the version has none. */
export async function* readConfig(source: Source): Pages {
  const found = await source.listColumns('sys_config');
  const columns = ['config_key', 'config_value', 'is_frontend', 'deleted_at'].filter((name) =>
    found.has(name),
  );
  if (found.has('is_frontend')) yield* source.readPages({ table: 'sys_config', columns });
}

export async function hasMenus(source: Source): Promise<boolean> {
  return (await source.listColumns('sys_menu')).size > 0;
}

export const ruleTables = ['sys_casbin_rule', 'casbin_rule'] as const;
export type RuleTable = (typeof ruleTables)[number];

/**
 * Some versions of go-admin create both tables and use one. If both hold rules, only the operator
 * knows which table is in use.
 */
export async function findRuleTable(source: Source, chosen: RuleTable | undefined): Promise<RuleTable> {
  const filled: RuleTable[] = [];
  const there: RuleTable[] = [];
  for (const table of ruleTables) {
    if ((await source.listColumns(table)).size === 0) continue;
    there.push(table);
    if (await hasRows(source, table)) filled.push(table);
  }
  if (chosen !== undefined && there.includes(chosen)) return chosen;
  if (chosen === undefined && filled.length > 1)
    throw new SourceFailure(
      'Both `sys_casbin_rule` and `casbin_rule` hold rules. Give --rules-table with the one that go-admin uses.',
    );
  const table = chosen === undefined ? (filled[0] ?? there[0]) : undefined;
  if (table === undefined)
    throw new SourceFailure(
      `The database has no table \`${chosen ?? 'casbin_rule'}\`. Check that the URL names go-admin's own database.`,
    );
  return table;
}

async function hasRows(source: Source, table: RuleTable): Promise<boolean> {
  const first = `(select 1 as one from ${table} limit 1) as first_rule`;
  let count = 0;
  for await (const page of source.readPages({ table: first, columns: ['one'] })) count += page.length;
  return count > 0;
}

const values = ['v0', 'v1', 'v2', 'v3', 'v4', 'v5'] as const;

export async function* readRules(source: Source, table: RuleTable): AsyncGenerator<readonly CasbinRow[]> {
  const found = await source.listColumns(table);
  const kind = found.has('ptype') ? 'ptype' : 'p_type';
  const columns = [kind, ...values.filter((value) => found.has(value))];
  for await (const page of source.readPages({ table, columns }))
    yield page.map((row) => ({ ...row, ptype: row[kind] ?? '' }));
}

/** Not deleted: no time, or the number that newer versions write into live rows. */
export function isDeleted({ deleted_at: deletedAt }: SourceRow): boolean {
  return deletedAt !== null && deletedAt !== undefined && !/^0(000-00-00.*)?$/.test(deletedAt);
}
