// SQL of the access matrix: the rule revisions of a page of roles, and their temporary rules.
import type { MatrixRole } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store } from '../../../cluster/store/store.ts';
import { idsOf, lastRevision, type RoleName } from '../role-rule-store.ts';

/** The `lastRevision` of each role. */
export async function readRuleRevisions(
  store: Store,
  roles: readonly RoleName[],
): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ id: number; revision: number }>`
    select id, ${lastRevision} as revision from roles where id = any(${idsOf(roles)}::bigint[])`.execute(
    store,
  );
  return new Map(rows.map(({ id, revision }) => [id, revision]));
}

/** The temporary rules of each role, sorted by their end. Rules that have ended by the database's clock are left out. */
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
