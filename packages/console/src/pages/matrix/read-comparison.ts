// What a comparison says beyond its lists: which of the changes change nothing, because other rules allow the same.
import type { client } from '../../client.ts';
import { type Rule, ruleText } from './draft.ts';

export type RuleComparison = Awaited<ReturnType<typeof client.compareRules>>['data'];

export interface IdleChanges {
  /** Added, though other rules allow it already. */
  readonly added: readonly Rule[];
  /** Removed, though another rule still allows it. */
  readonly removed: readonly Rule[];
}

export function findIdle({ added, removed, gains, losses }: RuleComparison): IdleChanges {
  return { added: without(added, gains), removed: without(removed, losses) };
}

function without(rules: readonly Rule[], others: readonly Rule[]): Rule[] {
  const texts = new Set(others.map(ruleText));
  return rules.filter((rule) => !texts.has(ruleText(rule)));
}
