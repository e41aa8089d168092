// The rules of one role as one text: as objects, 100,000 of them would take four times the memory of everything that decides.
import type { Rule } from './parse-rule.ts';
import { ruleText } from './rule-text.ts';

export interface RoleRules {
  readonly size: number;
  /** By their text. */
  values(): Iterable<Rule>;
}

export function packRules(roleKey: string, rules: Iterable<Rule>): RoleRules {
  const texts = Array.from(rules, ruleText).sort();
  const packed = texts.join('\n');
  return {
    size: texts.length,
    *values() {
      for (let at = 0, end: number; at < packed.length; at = end + 1) {
        const space = packed.indexOf(' ', at);
        end = packed.indexOf('\n', space);
        if (end < 0) end = packed.length;
        // It was accepted before it was packed.
        yield { roleKey, method: packed.slice(at, space), path: packed.slice(space + 1, end) } as Rule;
      }
    },
  };
}
