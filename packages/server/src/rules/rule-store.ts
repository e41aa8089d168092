// SQL of the policy rules.
import { AppError } from '@portcullis/contract';
import { sql } from 'kysely';
import { Type } from 'typebox';
import type { RuleChange } from '../cluster/change.ts';
import { createCursor } from '../store/cursor.ts';
import { createPage } from '../store/page.ts';
import type { Store, StoreTransaction } from '../store/store.ts';

export interface RuleOfRole {
  readonly method: string;
  readonly path: string;
}

/** How many rows one statement of a full load reads, so that none is long however many rules there are. */
const loadPage = 10_000;
const text = Type.String({ pattern: '^[^\\u0000]*$' });
const cursor = createCursor(Type.Object({ path: text, method: text }));

/** Every rule of every role. Outside a transaction, what is written meanwhile may be missed. */
export async function* listAllRules(store: Store): AsyncGenerator<RuleOfRole & { roleKey: string }> {
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
    for (const { role_id, path, method } of rows) {
      const roleKey = roleKeys.get(role_id);
      if (roleKey !== undefined) yield { roleKey, method, path };
    }
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
  const after = cursor.read(query.after);
  const rows = await store
    .selectFrom('rules')
    .select(['method', 'path'])
    .where('role_id', '=', roleId)
    .$if(after !== undefined, (select) =>
      select.where(sql<boolean>`(path, method) > (${after?.path}, ${after?.method})`),
    )
    .orderBy('path')
    .orderBy('method')
    .limit(query.limit + 1)
    .execute();
  if (rows.length === 0 && (await selectRole(store, roleId).executeTakeFirst()) === undefined)
    throw new AppError('record_not_found');
  return createPage(rows, query.limit, { itemOf: (row) => row, placeOf: (row) => row, cursor });
}

/** Returns the changes that were really made: a rule that was there is not added, one that was not is not removed. */
export async function changeRules(
  transaction: StoreTransaction,
  roleId: number,
  { add, remove }: { add: readonly RuleOfRole[]; remove: readonly RuleOfRole[] },
): Promise<RuleChange[]> {
  const roleKey = await lockRole(transaction, roleId);
  const { rows } = await sql<RuleChange>`
    with removed as (
      delete from rules where role_id = ${roleId} and (path, method) in (${unnest(remove)})
      returning method, path),
    added as (
      insert into rules (role_id, path, method) select ${roleId}::bigint, rows.* from (${unnest(add)}) as rows
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

/** Until the transaction ends, nobody else changes the rules of the role: two calls cannot wait for each other. */
async function lockRole(transaction: StoreTransaction, roleId: number): Promise<string> {
  const role = await selectRole(transaction, roleId).forNoKeyUpdate().executeTakeFirst();
  if (role === undefined) throw new AppError('record_not_found');
  return role.role_key;
}

function selectRole(store: Store, roleId: number) {
  return store.selectFrom('roles').select('role_key').where('id', '=', roleId);
}
