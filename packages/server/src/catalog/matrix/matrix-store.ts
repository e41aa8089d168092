// SQL of the access matrix: the rules of a page of roles, those that have an end, and the revisions that they are of.
import type { MatrixRole } from '@portcullis/contract';
import type { RuleText } from '@portcullis/policy';
import { sql } from 'kysely';
import type { Store } from '../../store/store.ts';

interface RoleName {
  readonly id: number;
  readonly roleKey: string;
}

const pageSize = 50_000;

/** Of each role the last revision that changed its rules; where none did yet, the one since which that is known. */
export async function readRuleRevisions(
  store: Store,
  roles: readonly RoleName[],
): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ id: number; revision: number }>`
    select id, coalesce((select max(revision) from rule_history where role_id = roles.id), recorded_from) as revision
    from roles where id = any(${idsOf(roles)}::bigint[])`.execute(store);
  return new Map(rows.map(({ id, revision }) => [id, revision]));
}

/** All rules of these roles, page by page, those of a role together. A row a role: tens of thousands would take the driver longer than Postgres. */
export async function* listRulesOfRoles(
  store: Store,
  roles: readonly RoleName[],
): AsyncGenerator<RuleText[]> {
  const roleKeys = new Map(roles.map(({ id, roleKey }) => [id, roleKey]));
  for (let after = { roleId: 0, path: '', method: '' }; ; ) {
    const { rows } = await sql<{ role_id: number; paths: string[]; methods: string[] }>`
      select role_id, json_agg(path) as paths, json_agg(method) as methods from (
        select role_id, path, method from rules
        where role_id = any(${idsOf(roles)}::bigint[])
          and (role_id, path, method) > (${after.roleId}, ${after.path}, ${after.method})
        order by role_id, path, method limit ${pageSize}) as page
      group by role_id order by role_id`.execute(store);
    yield rows.flatMap(({ role_id, paths, methods }) => {
      const roleKey = roleKeys.get(role_id) ?? '';
      return paths.map((path, place) => ({ roleKey, method: methods[place] ?? '', path }));
    });
    const last = rows.at(-1);
    if (last === undefined || rows.reduce((sum, { paths }) => sum + paths.length, 0) < pageSize) return;
    after = { roleId: last.role_id, path: last.paths.at(-1) ?? '', method: last.methods.at(-1) ?? '' };
  }
}

/** Of each role that has any, the next end first. What is over by the database's clock allows nothing. */
export async function listTemporaryRulesOfRoles(
  store: Store,
  roles: readonly RoleName[],
): Promise<ReadonlyMap<number, MatrixRole['temporary']>> {
  const rows = await store
    .selectFrom('temporary_rules')
    .select(['role_id', 'method', 'path', 'ends_at'])
    .where(sql<boolean>`role_id = any(${idsOf(roles)}::bigint[])`)
    .where(sql<boolean>`ends_at > clock_timestamp()`)
    .orderBy('ends_at')
    .orderBy('path')
    .orderBy('method')
    .execute();
  const rulesOf = new Map<number, MatrixRole['temporary']>();
  for (const { role_id, method, path, ends_at } of rows) {
    const rules = rulesOf.get(role_id) ?? [];
    rules.push({ method, path, endsAt: ends_at.toISOString() });
    rulesOf.set(role_id, rules);
  }
  return rulesOf;
}

function idsOf(roles: readonly RoleName[]): number[] {
  return roles.map(({ id }) => id);
}
