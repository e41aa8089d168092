// Privilege escalation check: whether a role can make every call that other rules allow. With malicious rules, each
// comparison takes milliseconds, so the check yields between batches, and a check that takes too long answers no.
import { parseRule, type Rule, type Snapshot } from '@portcullis/policy';
import { isWithin } from '../../base/values/is-within.ts';
import type { Yielding } from '../../base/values/yielding.ts';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import { type RuleOfRole, readRulesOfRole } from './rule-store.ts';
import { listTemporaryRulesOfRole } from './temporary-rule-store.ts';

interface CallReachOptions {
  /** The rules in force, without temporary ones: a role cannot grant what it has only temporarily. */
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
    /** Reads the other role's rules from Postgres: this instance's memory can lack a rule that was just added. */
    async mayDoAll(transaction: StoreTransaction, roleKey: string, otherId: number): Promise<boolean> {
      const lasting = await readRulesOfRole(transaction, otherId);
      const temporary = await listTemporaryRulesOfRole(transaction, otherId);
      return await mayDo(roleKey, [...lasting, ...temporary]);
    },
  };
}

/** Undefined for a stored rule that does not parse: it is not in force, so it allows nothing. */
function ruleOf(text: RuleOfRole): Rule | undefined {
  const parsed = parseRule({ roleKey: 'any', ...text });
  return 'rule' in parsed ? parsed.rule : undefined;
}
