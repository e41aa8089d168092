// Turns rules into a snapshot, whole or from an earlier snapshot and what changed. A snapshot never changes:
// the next one is a new value, which shares every role that the change does not touch.
import { type PackedIndexes, packIndexes, repackIndexes } from './pack-indexes.ts';
import type { Rule } from './parse-rule.ts';
import { buildRoleIndex } from './role-index.ts';
import { packRules, type RoleRules } from './role-rules.ts';
import { ruleText } from './rule-text.ts';

/** An immutable, compiled set of rules. Make one with {@link compile} or {@link applyChanges}. */
export interface Snapshot {
  /** The revision that the caller gave. The engine only carries it. */
  readonly revision: number;
  /** The rules of each role, shared with the snapshots before and after where a role is the same. */
  readonly rules: ReadonlyMap<string, RoleRules>;
  /** What decides, for all roles. */
  readonly packed: PackedIndexes;
}

/** What changed since a snapshot, and the revision that this leads to. */
export interface Changes {
  readonly added: Iterable<Rule>;
  readonly removed: Iterable<Rule>;
  readonly revision: number;
}

/**
 * Compiles rules to a snapshot. A rule is known by its text (role key, method and path): given twice, it counts
 * once.
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
 * The snapshot that follows when rules are removed and others added. What this costs depends on the roles that
 * change; all others are shared with the earlier snapshot, which stays as it is.
 *
 * Removing a rule that is not there changes nothing, and a rule both removed and added is there afterwards. Two
 * rules that differ only in the names of parameters are two rules: what they allow ends with the last of them.
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
