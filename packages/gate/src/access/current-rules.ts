// The permission rules in memory, compiled, with expiry of temporary rules. A stored rule that does not parse is skipped
// and reported. Skipping is safe: rules only grant, so a missing rule denies, and the other rules stay in force.
import {
  applyChanges,
  compile,
  listRoles,
  parseRule,
  type Rule,
  type RuleText,
  type Snapshot,
} from '@portcullis/policy';
import type { Change, RuleChange, TemporaryRule, TemporaryRuleChange } from './change.ts';
import type { ReadableReplica } from './follower.ts';

export interface CurrentRules extends ReadableReplica {
  readonly snapshot: Snapshot;
  /** The rules without the temporary ones: a caller who holds a right temporarily cannot grant it permanently. */
  readonly lasting: Snapshot;
  /** When the next temporary rule ends, by the database's clock; Infinity when there is none. */
  readonly nextEnd: number;
  /**
   * How many times temporary rules have expired. An expiry writes no revision, so this counter is the only signal of
   * it.
   */
  readonly ends: number;
}

export type ReportBadRule = (rule: { roleKey: string; method: string; path: string }, reason: string) => void;

interface Temporary {
  readonly rule: Rule;
  readonly endsAt: number;
}

/** Without `latestDatabaseTime`, every temporary rule counts as ended. */
export function createCurrentRules(
  reportBadRule: ReportBadRule,
  latestDatabaseTime: () => number = () => Number.POSITIVE_INFINITY,
): CurrentRules {
  /** The rules without an end. */
  let lasting = compile([], 0);
  let temporary = new Map<string, Temporary>();
  let nextEnd = Number.POSITIVE_INFINITY;
  let ends = 0;
  /** The lasting and the temporary rules. */
  let snapshot = lasting;

  function parse(text: RuleText): Rule[] {
    const parsed = parseRule(text);
    if ('rule' in parsed) return [parsed.rule];
    reportBadRule(text, parsed.reason);
    return [];
  }

  function set(rules: Map<string, Temporary>, { endsAt, ...text }: TemporaryRule): void {
    const [rule] = parse(text);
    if (rule === undefined) rules.delete(textOf(text));
    else rules.set(textOf(text), { rule, endsAt });
  }

  function combine(): void {
    nextEnd = Number.POSITIVE_INFINITY;
    const added: Rule[] = [];
    for (const { rule, endsAt } of temporary.values()) {
      nextEnd = Math.min(nextEnd, endsAt);
      added.push(rule);
    }
    snapshot =
      added.length === 0
        ? lasting
        : applyChanges(lasting, { added, removed: [], revision: lasting.revision });
  }

  /** Every getter calls it before it reads, because no event announces the end of a rule. */
  function dropEnded(): void {
    if (nextEnd === Number.POSITIVE_INFINITY) return;
    const latest = latestDatabaseTime();
    if (latest < nextEnd) return;
    for (const [text, { endsAt }] of temporary) if (!(latest < endsAt)) temporary.delete(text);
    ends += 1;
    combine();
  }

  return {
    get snapshot() {
      dropEnded();
      return snapshot;
    },
    get lasting() {
      return lasting;
    },
    get nextEnd() {
      dropEnded();
      return nextEnd;
    },
    get ends() {
      dropEnded();
      return ends;
    },
    load() {
      const rules: Rule[] = [];
      const ending = new Map<string, Temporary>();
      return {
        take(piece) {
          if (piece.kind === 'rules') for (const text of piece.rules) rules.push(...parse(text));
          if (piece.kind === 'temporary_rules') for (const rule of piece.rules) set(ending, rule);
        },
        finish(revision) {
          const loaded = compile(rules, revision);
          return () => {
            lasting = loaded;
            temporary = ending;
            combine();
          };
        },
      };
    },
    *snapshotRecords() {
      // Sorted by name, so that every instance produces equal records for equal rules.
      for (const roleKey of listRoles(lasting))
        yield { kind: 'rules', rules: Array.from(lasting.rules.get(roleKey)?.values() ?? [], textsOf) };
      const texts = [...temporary].sort(([one], [other]) => (one < other ? -1 : 1));
      const rules = texts.map(([, { rule, endsAt }]) => ({ ...textsOf(rule), endsAt }));
      yield { kind: 'temporary_rules', rules };
    },
    apply(changes, revision) {
      // One step can apply several revisions, so only the last change of each rule counts.
      const lastChanges = new Map(changes.filter(isRuleChange).map((change) => [textOf(change), change]));
      const ending = changes.filter(isTemporaryRuleChange);
      if (lastChanges.size === 0 && ending.length === 0) return;
      const of = (kind: RuleChange['kind']) =>
        [...lastChanges.values()].filter((change) => change.kind === kind).flatMap(parse);
      lasting = applyChanges(lasting, { added: of('rule_added'), removed: of('rule_removed'), revision });
      for (const change of ending)
        if (change.kind === 'temporary_rule_set') set(temporary, change);
        else temporary.delete(textOf(change));
      combine();
    },
  };
}

function isRuleChange(change: Change): change is RuleChange {
  return change.kind === 'rule_added' || change.kind === 'rule_removed';
}

function isTemporaryRuleChange(change: Change): change is TemporaryRuleChange {
  return change.kind === 'temporary_rule_set' || change.kind === 'temporary_rule_removed';
}

/** The fields of a rule that a snapshot record holds. */
function textsOf({ roleKey, method, path }: Rule): RuleText {
  return { roleKey, method, path };
}

function textOf({ roleKey, method, path }: RuleText): string {
  return `${roleKey} ${method} ${path}`;
}
