// Stores the rules of one role compactly, as one string: as objects, 100,000 rules would take four times the memory of
// the whole decision index.
import type { Rule } from './parse-rule.ts';
import { ruleText, splitRuleText } from './rule-text.ts';

export interface RoleRules {
  readonly size: number;
  /** The rules, sorted by their text. */
  values(): Iterable<Rule>;
  /** The rules as `METHOD /path`, sorted. */
  texts(): readonly string[];
  /** The rules by their place in the index; filled by the first `matched`. */
  byPlace: RulesByPlace | undefined;
}

export type RulesByPlace = ReadonlyMap<number, Rule>;

export function packRules(roleKey: string, rules: Iterable<Rule>): RoleRules {
  const texts = Array.from(rules, ruleText).sort();
  const packed = texts.join('\n');
  const unpack = () => packed.split('\n');
  return {
    size: texts.length,
    texts: unpack,
    byPlace: undefined,
    *values() {
      // The cast is safe: the rule was accepted before it was packed.
      for (const text of unpack()) yield { roleKey, ...splitRuleText(text) } as Rule;
    },
  };
}
