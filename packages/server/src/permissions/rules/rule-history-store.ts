// SQL of the history of a role's rules: one row for each change, with its revision, written in the same transaction.
import { type Caller, listedRulesLimit, type RuleHistoryItem, rollbackLimit } from '@portcullis/contract';
import type { RuleChange } from '@portcullis/gate';
import { sql } from 'kysely';
import { Type } from 'typebox';
import { createCursor } from '../../cluster/store/cursor.ts';
import { createPage } from '../../cluster/store/page.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import type { RuleChanges, RuledRole, RuleOfRole } from './rule-store.ts';

const cursor = createCursor(
  Type.Object({ revision: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) }),
);

interface HistoryEntry {
  readonly roleId: number;
  readonly caller: Pick<Caller, 'userId' | 'username'>;
  readonly changes: readonly RuleChange[];
  readonly rolledBackTo: number | null;
}

/** The lock on the current revision reserves the next number for this transaction, whose changes get that number. */
export async function insertHistory(
  transaction: StoreTransaction,
  { roleId, caller, changes, rolledBackTo }: HistoryEntry,
): Promise<void> {
  const { added, removed } = splitChanges(changes);
  await sql`
    insert into rule_history (role_id, revision, user_id, username, added, removed, rolled_back_to)
    select ${roleId}::bigint, n + 1, ${caller.userId}::bigint, ${caller.username}::text,
      ${JSON.stringify(added)}::jsonb, ${JSON.stringify(removed)}::jsonb, ${rolledBackTo}::bigint
    from current_revision for no key update`.execute(transaction);
}

export function splitChanges(changes: readonly RuleChange[]) {
  const of = (kind: RuleChange['kind']): RuleOfRole[] =>
    changes.filter((change) => change.kind === kind).map(({ method, path }) => ({ method, path }));
  return { added: of('rule_added'), removed: of('rule_removed') };
}

/** The last revision that changed the role's rules, or the revision since which changes are recorded. */
export async function readRulesRevision(store: Store, role: RuledRole): Promise<number> {
  const row = await store
    .selectFrom('rule_history')
    .select('revision')
    .where('role_id', '=', role.id)
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.revision ?? role.recordedFrom;
}

export async function listHistory(
  store: Store,
  roleId: number,
  query: { after: string | undefined; limit: number },
) {
  const before = cursor.read(query.after)?.revision ?? Number.MAX_SAFE_INTEGER;
  const rows = await store
    .selectFrom('rule_history')
    .select(['revision', 'at', 'user_id', 'username', 'rolled_back_to'])
    .select([firstOf('added').as('added'), firstOf('removed').as('removed')])
    .where('role_id', '=', roleId)
    .where('revision', '<', before)
    .orderBy('revision', 'desc')
    .limit(query.limit + 1)
    .execute();
  return createPage(rows, query.limit, {
    itemOf: (row): RuleHistoryItem => ({
      revision: row.revision,
      at: row.at.toISOString(),
      by: { userId: row.user_id, username: row.username },
      added: row.added,
      removed: row.removed,
      rolledBackTo: row.rolled_back_to,
    }),
    positionOf: ({ revision }) => ({ revision }),
    cursor,
  });
}

/** Limits the rules of each change, because a page of changes with thousands of rules each would be too large. */
function firstOf(column: 'added' | 'removed') {
  const rules = sql.ref(column);
  const last = sql.lit(listedRulesLimit - 1);
  return sql<RuleHistoryItem['added']>`jsonb_build_object('count', jsonb_array_length(${rules}),
    'items', jsonb_path_query_array(${rules}, '$[0 to ${last}]'))`;
}

/**
 * The changes that restore the rules as they were after the revision: for each rule that has changed since, the opposite
 * of its first change. Undefined if there are too many for one call.
 */
export async function readChangesSince(
  store: Store,
  roleId: number,
  revision: number,
): Promise<RuleChanges | undefined> {
  const since = sql`role_id = ${roleId} and revision > ${revision}`;
  const { rows } = await sql<RuleOfRole & { wasAdded: boolean }>`
    select distinct on (path, method) path, method, "wasAdded" from (
      select revision, true as "wasAdded", rule.* from rule_history,
        jsonb_to_recordset(added) as rule (method text, path text) where ${since}
      union all
      select revision, false, rule.* from rule_history,
        jsonb_to_recordset(removed) as rule (method text, path text) where ${since}
    ) as changed order by path, method, revision limit ${rollbackLimit + 1}`.execute(store);
  if (rows.length > rollbackLimit) return undefined;
  const of = (wasAdded: boolean) =>
    rows.filter((row) => row.wasAdded === wasAdded).map(({ method, path }) => ({ method, path }));
  return { add: of(false), remove: of(true) };
}
