import { routeName } from '@portcullis/contract';
import type { RuleText } from '@portcullis/policy';
import type { RulesOfRole } from '../../../src/permissions/catalog/role-rule-store.ts';

/** As they are read: in the order of the roles, those of a role together. */
export function byRole(rules: readonly RuleText[]): RulesOfRole[] {
  const roles = Map.groupBy(rules, (rule) => rule.roleKey);
  return [...roles].map(([roleKey, ofRole]) => ({ roleKey, texts: ofRole.map(routeName) }));
}
