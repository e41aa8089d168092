import { routeName } from '@portcullis/contract';
import type { RuleText } from '@portcullis/policy';
import type { RulesOfRole } from '../../src/catalog/role-rule-store.ts';

/** As they are read: in the order of the roles, those of a role together. */
export async function* byRole(rules: readonly RuleText[]): AsyncGenerator<RulesOfRole> {
  for (const [roleKey, ofRole] of Map.groupBy(rules, (rule) => rule.roleKey))
    yield { roleKey, texts: ofRole.map(routeName) };
}
