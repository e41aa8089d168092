// The rules of one role as one text: as objects, 100,000 of them would take four times the memory of everything that decides.
import type { Rule } from './parse-rule.ts';
import { ruleText, splitRuleText } from './rule-text.ts';

export interface RoleRules {
  readonly size: number;
  /** By their text. */
  values(): Iterable<Rule>;
  /** `METHOD /path` each, in order. */
  texts(): readonly string[];
}

export function packRules(roleKey: string, rules: Iterable<Rule>): RoleRules {
  const texts = Array.from(rules, ruleText).sort();
  const packed = texts.join('\n');
  const unpack = () => packed.split('\n');
  return {
    size: texts.length,
    texts: unpack,
    *values() {
      // It was accepted before it was packed.
      for (const text of unpack()) yield { roleKey, ...splitRuleText(text) } as Rule;
    },
  };
}
