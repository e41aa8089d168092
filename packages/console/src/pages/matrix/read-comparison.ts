// Finds the changes without an effect in a comparison, because other rules allow the same calls.
import type { client } from '../../client.ts';
import { type Rule, ruleText } from './draft.ts';

export type RuleComparison = Awaited<ReturnType<typeof client.compareRules>>['data'];

export interface IdleChanges {
  /** Added, although other rules already allow the same. */
  readonly added: readonly Rule[];
  /** Removed, although another rule still allows the same. */
  readonly removed: readonly Rule[];
}

export function findIdle({ added, removed, gains, losses }: RuleComparison): IdleChanges {
  return { added: without(added, gains), removed: without(removed, losses) };
}

function without(rules: readonly Rule[], others: readonly Rule[]): Rule[] {
  const texts = new Set(others.map(ruleText));
  return rules.filter((rule) => !texts.has(ruleText(rule)));
}
