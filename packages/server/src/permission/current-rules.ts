// The compiled rules in force. A stored rule that does not parse is skipped and reported: rules only grant, so
// the rest stays in force.
import { compile, parseRule, type Rule, type Snapshot } from '@portcullis/policy';
import type { Replica } from '../cluster/follower.ts';
import { listRules } from '../rules/rule-store.ts';

export interface CurrentRules extends Replica {
  readonly snapshot: Snapshot;
}

export type ReportBadRule = (rule: { roleKey: string; method: string; path: string }, reason: string) => void;

export function createCurrentRules(reportBadRule: ReportBadRule): CurrentRules {
  let snapshot = compile([], 0);
  return {
    get snapshot() {
      return snapshot;
    },
    async load(transaction, revision) {
      const rules: Rule[] = [];
      for (const stored of await listRules(transaction)) {
        const parsed = parseRule(stored);
        if ('rule' in parsed) rules.push(parsed.rule);
        else reportBadRule(stored, parsed.reason);
      }
      const loaded = compile(rules, revision);
      return () => {
        snapshot = loaded;
      };
    },
    apply() {},
  };
}
