// Whether a role may make every call that other rules allow. A role can be given rules by which each answer takes
// milliseconds, so it is found out in turns, and what takes too long is a no.
import { parseRule, type Rule, type Snapshot } from '@portcullis/policy';
import { isWithin } from '../../base/values/is-within.ts';
import type { Yielding } from '../../base/values/yielding.ts';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import { type RuleOfRole, readRulesOfRole } from './rule-store.ts';
import { listTemporaryRulesOfRole } from './temporary-rule-store.ts';

interface CallReachOptions {
  /** The rules in force here; what a role has for a while is not its own to give. */
  readonly rules: { readonly lasting: Snapshot };
  readonly turns: Yielding;
}

export function createCoversRules({ rules, turns }: CallReachOptions) {
  async function mayDo(roleKey: string, asked: readonly RuleOfRole[]): Promise<boolean> {
    const { lasting } = rules;
    return await turns.every(asked, (text) => {
      const rule = ruleOf(text);
      return rule === undefined || isWithin(lasting, roleKey, rule);
    });
  }
  return {
    mayDo,
    /** As they are stored: what was added a moment ago may not have come to this instance yet. */
    async mayDoAll(transaction: StoreTransaction, roleKey: string, otherId: number): Promise<boolean> {
      const lasting = await readRulesOfRole(transaction, otherId);
      const temporary = await listTemporaryRulesOfRole(transaction, otherId);
      return await mayDo(roleKey, [...lasting, ...temporary]);
    },
  };
}

/** Undefined for a stored rule that does not parse: it is not in force, and so it gives and takes nothing. */
function ruleOf(text: RuleOfRole): Rule | undefined {
  const parsed = parseRule({ roleKey: 'any', ...text });
  return 'rule' in parsed ? parsed.rule : undefined;
}
