// SQL of the access matrix: the revisions that the rules of a page of roles are of, and their rules that have an end.
import type { MatrixRole } from '@portcullis/contract';
import { sql } from 'kysely';
import type { Store } from '../../../cluster/store/store.ts';
import { idsOf, lastRevision, type RoleName } from '../role-rule-store.ts';

/** Of each role, as `lastRevision` says. */
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
