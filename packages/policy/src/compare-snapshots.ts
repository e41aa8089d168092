// Policy diff: the permissions that each role gains and loses between two snapshots. It compares what rules allow, not
// their text: a rule that another rule of the other snapshot covers is neither a gain nor a loss.
import type { Snapshot } from './compile.ts';
import { listRoles, listRules } from './list-rules.ts';
import { type Method, methods } from './method.ts';
import type { Rule } from './parse-rule.ts';
import { ruleText, segmentsOf } from './rule-text.ts';

/** The rules by which one role can call more after a change, and those by which it can call less. */
export interface RoleDifference {
  readonly roleKey: string;
  readonly gains: readonly Rule[];
  readonly losses: readonly Rule[];
}

/**
 * Compares two snapshots. Only roles that gain or lose something are listed.
 *
 * @example
 * for (const { roleKey, losses } of compareSnapshots(before, after)) console.log(roleKey, losses);
 */
export function compareSnapshots(before: Snapshot, after: Snapshot): RoleDifference[] {
  const roleKeys = new Set([...listRoles(before), ...listRoles(after)]);
  return [...roleKeys]
    .sort()
    .filter((roleKey) => before.rules.get(roleKey) !== after.rules.get(roleKey))
    .map((roleKey) => compareRules(roleKey, listRules(before, roleKey), listRules(after, roleKey)))
    .filter(({ gains, losses }) => gains.length + losses.length > 0);
}

function compareRules(roleKey: string, before: readonly Rule[], after: readonly Rule[]): RoleDifference {
  return { roleKey, gains: uncovered(after, before), losses: uncovered(before, after) };
}

function uncovered(rules: readonly Rule[], others: readonly Rule[]): Rule[] {
  const known = new Set(others.map(ruleText));
  return rules.filter((rule) => !known.has(ruleText(rule)) && !isCovered(rule, others));
}

function isCovered(rule: Rule, others: readonly Rule[]): boolean {
  const wider = others.filter((other) => coversPath(other.path, rule.path));
  const named: readonly Method[] = rule.method === '*' ? methods : [rule.method];
  return named.every((method) => wider.some((other) => other.method === '*' || other.method === method));
}

function coversPath(wide: string, narrow: string): boolean {
  const narrowSegments = segmentsOf(narrow);
  const wideSegments = segmentsOf(wide);
  const open = wideSegments.at(-1) === '*';
  if (open ? narrowSegments.length < wideSegments.length : narrowSegments.length !== wideSegments.length) {
    return false;
  }
  return wideSegments.every((segment, index) => coversSegment(segment, narrowSegments[index]));
}

function coversSegment(wide: string, narrow: string | undefined): boolean {
  return wide === '*' || wide === narrow || (wide.startsWith(':') && narrow !== '*');
}
