// Lists the roles of a snapshot, and the rules of each role.
import type { Snapshot } from './compile.ts';
import type { Rule } from './parse-rule.ts';

/** The sorted keys of the roles that have a rule. */
export function listRoles(snapshot: Snapshot): string[] {
  return [...snapshot.rules.keys()].sort();
}

/** The rules of a role, sorted by path, then by method. Empty for an unknown role. */
export function listRules(snapshot: Snapshot, roleKey: string): Rule[] {
  const rules = snapshot.rules.get(roleKey);
  return rules === undefined ? [] : [...rules.values()].sort(byText);
}

export function byText(a: Rule, b: Rule): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.method < b.method ? -1 : 1;
}
