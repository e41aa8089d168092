// SQL of the permission rules of roles.
import { AppError } from '@portcullis/contract';
import type { RuleChange } from '@portcullis/gate';
import type { RuleText } from '@portcullis/policy';
import { sql } from 'kysely';
import { Type } from 'typebox';
import { createCursor } from '../../cluster/store/cursor.ts';
import { createPage } from '../../cluster/store/page.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';

export interface RuleOfRole {
  readonly method: string;
  readonly path: string;
}

export interface RuleChanges {
  readonly add: readonly RuleOfRole[];
  readonly remove: readonly RuleOfRole[];
}

/** The role that has the rules. */
export interface RuledRole {
  readonly id: number;
  readonly roleKey: string;
  /** The revision since which the history of its rules is complete. */
  readonly recordedFrom: number;
}

/** The number of rows that one statement of a full load reads, so that no statement takes long. */
const loadPage = 10_000;
const text = Type.String({ pattern: '^[^\\u0000]*$' });
const cursor = createCursor(Type.Object({ path: text, method: text }));

/**
 * All rules of all roles, page by page. Without a transaction, rules that are added during the iteration can be
 * missing.
 */
export async function* listAllRules(store: Store): AsyncGenerator<RuleText[]> {
  const roles = await store.selectFrom('roles').select(['id', 'role_key']).execute();
  const roleKeys = new Map(roles.map((role) => [role.id, role.role_key]));
  for (let after = { role_id: 0, path: '', method: '' }; ; ) {
    const rows = await store
      .selectFrom('rules')
      .select(['role_id', 'path', 'method'])
      .where(sql<boolean>`(role_id, path, method) > (${after.role_id}, ${after.path}, ${after.method})`)
      .orderBy('role_id')
      .orderBy('path')
      .orderBy('method')
      .limit(loadPage)
      .execute();
    yield rows.flatMap(({ role_id, path, method }) => {
      const roleKey = roleKeys.get(role_id);
      return roleKey === undefined ? [] : [{ roleKey, method, path }];
    });
    const last = rows.at(-1);
    if (last === undefined || rows.length < loadPage) return;
    after = last;
  }
}

export async function listRulesOfRole(
  store: Store,
  roleId: number,
  query: { after: string | undefined; limit: number },
) {
  const rows = await selectRules(store, roleId, cursor.read(query.after), query.limit + 1);
  return createPage(rows, query.limit, { itemOf: (row) => row, positionOf: (row) => row, cursor });
}

/** All rules of the role, sorted by path and method. */
export async function readRulesOfRole(store: Store, roleId: number): Promise<RuleOfRole[]> {
  const rules: RuleOfRole[] = [];
  for (;;) {
    const rows = await selectRules(store, roleId, rules.at(-1), loadPage);
    rules.push(...rows);
    if (rows.length < loadPage) return rules;
  }
}

async function selectRules(store: Store, roleId: number, after: RuleOfRole | undefined, limit: number) {
  return await store
    .selectFrom('rules')
    .select(['method', 'path'])
    .where('role_id', '=', roleId)
    .$if(after !== undefined, (select) =>
      select.where(sql<boolean>`(path, method) > (${after?.path}, ${after?.method})`),
    )
    .orderBy('path')
    .orderBy('method')
    .limit(limit)
    .execute();
}

export async function getRole(store: Store, roleId: number): Promise<RuledRole> {
  return ruledRole(await selectRole(store, roleId).executeTakeFirst());
}

/**
 * Locks the rules of the role until the transaction ends. Every change of rules takes this lock, so two of them cannot
 * deadlock.
 */
export async function lockRole(transaction: StoreTransaction, roleId: number): Promise<RuledRole> {
  return ruledRole(await selectRole(transaction, roleId).forNoKeyUpdate().executeTakeFirst());
}

function selectRole(store: Store, roleId: number) {
  return store
    .selectFrom('roles')
    .select(['id', 'role_key as roleKey', 'recorded_from as recordedFrom'])
    .where('id', '=', roleId);
}

function ruledRole(role: RuledRole | undefined): RuledRole {
  if (role === undefined) throw new AppError('record_not_found');
  return role;
}

/** Returns the changes that were made: without additions of existing rules and removals of missing rules. */
export async function changeRules(
  transaction: StoreTransaction,
  { id, roleKey }: RuledRole,
  { add, remove }: RuleChanges,
): Promise<RuleChange[]> {
  const { rows } = await sql<RuleChange>`
    with removed as (
      delete from rules where role_id = ${id} and (path, method) in (${unnest(remove)})
      returning method, path),
    added as (
      insert into rules (role_id, path, method) select ${id}::bigint, rows.* from (${unnest(add)}) as rows
      on conflict do nothing
      returning method, path)
    select 'rule_removed' as kind, ${roleKey}::text as "roleKey", method, path from removed
    union all select 'rule_added', ${roleKey}, method, path from added`.execute(transaction);
  return rows;
}

function unnest(rules: readonly RuleOfRole[]) {
  const paths = rules.map(({ path }) => path);
  const methods = rules.map(({ method }) => method);
  return sql`select * from unnest(${paths}::text[], ${methods}::text[])`;
}
