// SQL that reads the rules role by role, for the comparison with the catalogue.
import { routeName } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store } from '../../cluster/store/store.ts';

export interface RoleName {
  readonly id: number;
  readonly roleKey: string;
}

/** A role with the state of its rules in Postgres. */
export interface RuledRole extends RoleName {
  /** The last revision that changed its rules. */
  readonly revision: number | undefined;
  /** The number of stored rules. Set it if the caller also needs rules that do not parse, which memory leaves out. */
  readonly count?: number;
}

export interface RulesOfRole {
  readonly roleKey: string;
  /** The rules as `METHOD /path`. */
  readonly texts: readonly string[];
}

const pageSize = 50_000;

/**
 * All rules of these roles, page by page. The rules of a role can be split over two pages. Each role is one row of JSON:
 * with one row for each of tens of thousands of rules, the driver would take longer than Postgres.
 */
export async function* listRulesOfRoles(
  store: Store,
  roles: readonly RoleName[],
): AsyncGenerator<RulesOfRole> {
  const roleKeys = new Map(roles.map(({ id, roleKey }) => [id, roleKey]));
  for (let after = { roleId: 0, path: '', method: '' }; ; ) {
    const { rows } = await sql<{ role_id: number; paths: string[]; methods: string[] }>`
      select role_id, json_agg(path) as paths, json_agg(method) as methods from (
        select role_id, path, method from rules
        where role_id = any(${idsOf(roles)}::bigint[])
          and (role_id, path, method) > (${after.roleId}, ${after.path}, ${after.method})
        order by role_id, path, method limit ${pageSize}) as page
      group by role_id order by role_id`.execute(store);
    for (const { role_id, paths, methods } of rows) {
      const roleKey = roleKeys.get(role_id) ?? '';
      yield { roleKey, texts: paths.map((path, index) => routeName({ method: methods[index] ?? '', path })) };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.reduce((sum, { paths }) => sum + paths.length, 0) < pageSize) return;
    after = { roleId: last.role_id, path: last.paths.at(-1) ?? '', method: last.methods.at(-1) ?? '' };
  }
}

/** All roles, with the number of rules of each. */
export async function listRuledRoles(store: Store): Promise<(RuledRole & { readonly enabled: boolean })[]> {
  const { rows } = await sql<Required<RuledRole> & { readonly enabled: boolean }>`
    select id, role_key as "roleKey", enabled, ${lastRevision} as revision, coalesce(n, 0) as count
    from roles left join (select role_id, count(*) as n from rules group by role_id) as counted on role_id = id
    order by id`.execute(store);
  return rows;
}

/**
 * SQL of a row of `roles`: the last revision that changed the role's rules, or the revision since which changes are
 * recorded.
 */
export const lastRevision = sql<number>`coalesce((select max(revision) from rule_history where role_id = roles.id), recorded_from)`;

export function idsOf(roles: readonly RoleName[]): number[] {
  return roles.map(({ id }) => id);
}
