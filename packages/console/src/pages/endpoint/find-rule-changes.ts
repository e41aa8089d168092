// Finds the rule changes in the audit log that affect an endpoint.
import { isRecord } from '../../is-record.ts';
import type { Rule } from '../matrix/draft.ts';
import { coverageOf } from '../matrix/rule-coverage.ts';

interface Change {
  readonly before: unknown;
  readonly after: unknown;
}

export interface RuleChange<C extends Change> {
  readonly change: C;
  /** Added rules that allow all or part of the endpoint. */
  readonly added: readonly Rule[];
  readonly removed: readonly Rule[];
}

export function findRuleChanges<C extends Change>(changes: readonly C[], called: Rule): RuleChange<C>[] {
  const concerns = (rule: Rule) => coverageOf(rule, called) !== 'none';
  return changes.flatMap((change) => {
    const added = [...rulesIn(change.after, 'added'), ...rulesIn(change.after, 'set')].filter(concerns);
    const removed = rulesIn(change.before, 'removed').filter(concerns);
    return added.length + removed.length === 0 ? [] : [{ change, added, removed }];
  });
}

/** A list of rules, or the first rules with their count. */
function rulesIn(state: unknown, field: string): Rule[] {
  const value = isRecord(state) ? state[field] : undefined;
  const items: unknown = isRecord(value) ? value.items : value;
  return (Array.isArray(items) ? items : []).flatMap((item: unknown) => {
    if (!isRecord(item)) return [];
    const { method, path } = item;
    return typeof method === 'string' && typeof path === 'string' ? [{ method, path }] : [];
  });
}
