// The compiled rules in force. A stored rule that does not parse is skipped and reported: rules only grant, so
// the rest stays in force.
import {
  applyChanges,
  compile,
  parseRule,
  type Rule,
  type RuleText,
  type Snapshot,
} from '@portcullis/policy';
import type { Change, RuleChange } from './change.ts';
import type { Replica } from './follower.ts';

export interface CurrentRules extends Replica {
  readonly snapshot: Snapshot;
}

export type ReportBadRule = (rule: { roleKey: string; method: string; path: string }, reason: string) => void;

export function createCurrentRules(reportBadRule: ReportBadRule): CurrentRules {
  let snapshot = compile([], 0);

  function parse(text: RuleText): Rule[] {
    const parsed = parseRule(text);
    if ('rule' in parsed) return [parsed.rule];
    reportBadRule(text, parsed.reason);
    return [];
  }

  return {
    get snapshot() {
      return snapshot;
    },
    load() {
      const rules: Rule[] = [];
      return {
        take(piece) {
          if (piece.kind === 'rules') for (const text of piece.rules) rules.push(...parse(text));
        },
        finish(revision) {
          const loaded = compile(rules, revision);
          return () => {
            snapshot = loaded;
          };
        },
      };
    },
    apply(changes, revision) {
      // The last word on each rule counts, because several revisions may be applied in one step.
      const lastWord = new Map(changes.filter(isRuleChange).map((change) => [textOf(change), change]));
      if (lastWord.size === 0) return;
      const of = (kind: RuleChange['kind']) =>
        [...lastWord.values()].filter((change) => change.kind === kind).flatMap(parse);
      snapshot = applyChanges(snapshot, { added: of('rule_added'), removed: of('rule_removed'), revision });
    },
  };
}

function isRuleChange(change: Change): change is RuleChange {
  return change.kind === 'rule_added' || change.kind === 'rule_removed';
}

function textOf({ roleKey, method, path }: RuleChange): string {
  return `${roleKey} ${method} ${path}`;
}
