// Compiles rules into an immutable snapshot: from all rules, or incrementally from an earlier snapshot and the changes.
// The new snapshot shares every role that the change does not touch with the earlier one.
import { type PackedIndexes, packIndexes, repackIndexes } from './pack-indexes.ts';
import type { Rule } from './parse-rule.ts';
import { buildRoleIndex } from './role-index.ts';
import { packRules, type RoleRules } from './role-rules.ts';
import { ruleText } from './rule-text.ts';

/** An immutable, compiled set of rules. Make one with {@link compile} or {@link applyChanges}. */
export interface Snapshot {
  /** The revision that the caller gave. The engine does not use it. */
  readonly revision: number;
  /** The rules of each role. Snapshots share the rules of a role that does not change. */
  readonly rules: ReadonlyMap<string, RoleRules>;
  /** The index of all roles that `decide` reads. */
  readonly packed: PackedIndexes;
}

/** The changes since a snapshot, and the revision after them. */
export interface Changes {
  readonly added: Iterable<Rule>;
  readonly removed: Iterable<Rule>;
  readonly revision: number;
}

/**
 * Compiles rules to a snapshot. Role key, method and path identify a rule: a rule that occurs twice counts once.
 *
 * @example
 * const snapshot = compile(rules, 42);
 * decide(snapshot, 'editor', 'GET', '/articles/7');
 */
export function compile(rules: Iterable<Rule>, revision: number): Snapshot {
  const empty = { revision, rules: new Map(), packed: packIndexes(new Map()) };
  return applyChanges(empty, { added: rules, removed: [], revision });
}

/**
 * Returns the snapshot after some rules are removed and others are added. The cost depends on the roles that change.
 * All other roles are shared with the earlier snapshot, which stays unchanged.
 *
 * Removing a rule that does not exist changes nothing. A rule that is both removed and added exists afterwards. Two
 * rules that differ only in the names of parameters are two rules: the permission ends when both are removed.
 *
 * @example
 * const next = applyChanges(snapshot, { added: [], removed: [rule], revision: 43 });
 */
export function applyChanges(snapshot: Snapshot, { added, removed, revision }: Changes): Snapshot {
  const changed = new Map<string, Map<string, Rule>>();
  for (const rule of removed) rulesToChange(snapshot, changed, rule.roleKey).delete(ruleText(rule));
  for (const rule of added) rulesToChange(snapshot, changed, rule.roleKey).set(ruleText(rule), rule);

  const rules = new Map(snapshot.rules);
  const indexes = new Map<string, Uint8Array | undefined>();
  for (const [roleKey, ofRole] of changed) {
    if (ofRole.size === 0) {
      rules.delete(roleKey);
      indexes.set(roleKey, undefined);
    } else {
      rules.set(roleKey, packRules(roleKey, ofRole.values()));
      indexes.set(roleKey, buildRoleIndex(ofRole.values()));
    }
  }
  return Object.freeze({ revision, rules, packed: repackIndexes(snapshot.packed, indexes) });
}

function rulesToChange(
  snapshot: Snapshot,
  changed: Map<string, Map<string, Rule>>,
  roleKey: string,
): Map<string, Rule> {
  const known = changed.get(roleKey);
  if (known !== undefined) return known;
  const copy = new Map<string, Rule>();
  for (const rule of snapshot.rules.get(roleKey)?.values() ?? []) copy.set(ruleText(rule), rule);
  changed.set(roleKey, copy);
  return copy;
}
