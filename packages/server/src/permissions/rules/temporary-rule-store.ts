// SQL of temporary rules. Only the database's clock determines their end.
import { AppError, type TemporaryRuleItem, type TimedRule, temporaryRulesLimit } from '@portcullis/contract';
import type { TemporaryRule, TemporaryRuleChange } from '@portcullis/gate';
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import type { RuledRole, RuleOfRole } from './rule-store.ts';

const endsAt = sql<number>`extract(epoch from ends_at)::float8 * 1000`;
const now = sql<Date>`clock_timestamp()`;

/** The temporary rules of all roles, with ended rules that are not removed yet: readers check the end themselves. */
export async function listTemporaryRules(store: Store): Promise<TemporaryRule[]> {
  return await store
    .selectFrom('temporary_rules')
    .innerJoin('roles', 'roles.id', 'role_id')
    .select(['role_key as roleKey', 'method', 'path', endsAt.as('endsAt')])
    .execute();
}

export async function listTemporaryRulesOfRole(store: Store, roleId: number): Promise<TemporaryRuleItem[]> {
  const rows = await store
    .selectFrom('temporary_rules')
    .select(['method', 'path', 'ends_at', 'given_by'])
    .where('role_id', '=', roleId)
    .where('ends_at', '>', now)
    .orderBy('ends_at')
    .orderBy('path')
    .orderBy('method')
    .execute();
  return rows.map(({ method, path, ends_at, given_by }) => ({
    method,
    path,
    endsAt: ends_at.toISOString(),
    givenBy: given_by,
  }));
}

/** Adds rules with an end. An existing rule gets the new end. */
export async function setTemporaryRules(
  transaction: StoreTransaction,
  { id, roleKey }: RuledRole,
  rules: readonly TimedRule[],
  givenBy: string,
): Promise<TemporaryRuleChange[]> {
  if (rules.length === 0) return [];
  const { rows } = await sql<RuleOfRole & { endsAt: number }>`
    insert into temporary_rules (role_id, path, method, ends_at, given_by)
    select ${id}::bigint, path, method, ${now} + seconds * interval '1 second', ${givenBy}::text
    from unnest(${rules.map(({ path }) => path)}::text[], ${rules.map(({ method }) => method)}::text[],
      ${rules.map(({ seconds }) => seconds)}::int[]) as given (path, method, seconds)
    on conflict (role_id, path, method) do update set ends_at = excluded.ends_at, given_by = excluded.given_by
    returning method, path, ${endsAt} as "endsAt"`.execute(transaction);
  const { count } = await transaction
    .selectFrom('temporary_rules')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('role_id', '=', id)
    .where('ends_at', '>', now)
    .executeTakeFirstOrThrow();
  if (count > temporaryRulesLimit) throw new AppError('params_invalid');
  return rows.map((rule) => ({ kind: 'temporary_rule_set', roleKey, ...rule }));
}

export async function removeTemporaryRules(
  transaction: StoreTransaction,
  { id, roleKey }: Pick<RuledRole, 'id' | 'roleKey'>,
  rules: readonly RuleOfRole[] | 'all',
): Promise<TemporaryRuleChange[]> {
  const rows = await transaction
    .deleteFrom('temporary_rules')
    .where('role_id', '=', id)
    .$if(rules !== 'all', (remove) =>
      remove.where(
        sql<boolean>`(path, method) in (select * from unnest(
          ${rules === 'all' ? [] : rules.map(({ path }) => path)}::text[],
          ${rules === 'all' ? [] : rules.map(({ method }) => method)}::text[]))`,
      ),
    )
    .returning(['method', 'path'])
    .execute();
  return rows.map((rule) => ({ kind: 'temporary_rule_removed', roleKey, ...rule }));
}

export async function hasEndedRules(store: Store): Promise<boolean> {
  const row = await store
    .selectFrom('temporary_rules')
    .select('role_id')
    .where('ends_at', '<=', now)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Cleanup: deletes ended rules, which are already without effect. */
export async function removeEndedRules(transaction: StoreTransaction): Promise<TemporaryRuleChange[]> {
  const { rows } = await sql<RuleOfRole & { roleKey: string }>`
    delete from temporary_rules using roles where roles.id = role_id and ends_at <= ${now}
    returning role_key as "roleKey", method, path`.execute(transaction);
  return rows.map((rule) => ({ kind: 'temporary_rule_removed', ...rule }));
}
