// Finds the rules that match a request or almost match it, for explanations. It is slow, and `decide` does not use it.
import { byText } from './list-rules.ts';
import { type Rule, ruleLimits } from './parse-rule.ts';
import { segmentsOf } from './rule-text.ts';

/** One difference between a request and a rule. `place` is the number of the segment, from 1. */
export type Difference =
  | { readonly kind: 'method'; readonly expected: string; readonly actual: string }
  | { readonly kind: 'segment'; readonly place: number; readonly expected: string; readonly actual: string }
  | { readonly kind: 'missing'; readonly place: number; readonly expected: string }
  | { readonly kind: 'extra'; readonly place: number; readonly actual: string };

/** A rule that does not allow a request, and all differences between them. */
export interface NearRule {
  readonly rule: Rule;
  readonly differs: readonly Difference[];
}

const nearestCount = 3;
const mostDifferences = 2;

/** Up to three rules that differ from the method and path in one or two ways, the nearest first. */
export function nearestRules(rules: readonly Rule[], method: string, path: string): NearRule[] {
  return rules
    .map((rule) => ({ rule, differs: differences(rule, method, path) }))
    .filter((near) => isNear(near, path))
    .sort((a, b) => distance(a) - distance(b) || byText(a.rule, b.rule))
    .slice(0, nearestCount);
}

/** The most specific rule that allows the method on the path. */
export function matchingRule(rules: readonly Rule[], method: string, path: string): Rule | undefined {
  return rules
    .filter((rule) => isOfMethod(rule, method) && differences(rule, method, path).length === 0)
    .sort((a, b) => (breadth(a) < breadth(b) ? -1 : 1))
    .at(0);
}

function differences(rule: Rule, method: string, path: string): Difference[] {
  const expected = segmentsOf(rule.path);
  const actual = segmentsOf(path);
  const differs: Difference[] = [];
  if (!isOfMethod(rule, method)) {
    differs.push({ kind: 'method', expected: rule.method, actual: method });
  }
  for (const [index, segment] of expected.entries()) {
    const difference = segmentDifference(segment, actual[index], index + 1);
    if (difference !== undefined) differs.push(difference);
  }
  if (expected.at(-1) === '*') return differs;
  for (const [index, segment] of actual.slice(expected.length).entries()) {
    differs.push({ kind: 'extra', place: expected.length + index + 1, actual: segment });
  }
  return differs;
}

function isOfMethod(rule: Rule, method: string): boolean {
  return rule.method === '*' || rule.method === method;
}

function segmentDifference(
  expected: string,
  actual: string | undefined,
  place: number,
): Difference | undefined {
  if (actual === undefined) return { kind: 'missing', place, expected };
  const open = expected === '*' || expected.startsWith(':');
  if (open ? actual !== '' : actual === expected) return undefined;
  return { kind: 'segment', place, expected, actual };
}

// A rule without an equal literal is near only if the differences look like typing errors.
function isNear({ rule, differs }: NearRule, path: string): boolean {
  if (differs.length === 0 || differs.length > mostDifferences) return false;
  const actual = segmentsOf(path);
  const agrees = segmentsOf(rule.path).some((segment, index) => segment === actual[index]);
  return agrees || differs.every((difference) => cost(difference) < unlikeCost);
}

// Of two rules with the same cost, the rule whose first difference is further into the path is nearer.
function distance({ differs }: NearRule): number {
  const places = differs.map((difference) =>
    'place' in difference ? difference.place : ruleLimits.segments,
  );
  return differs.reduce((sum, difference) => sum + cost(difference), 0) * 100 - Math.min(...places);
}

const unlikeCost = 4;

function cost(difference: Difference): number {
  switch (difference.kind) {
    case 'method':
      return 2;
    case 'segment':
      return isAlike(difference.expected, difference.actual) ? 1 : unlikeCost;
    case 'missing':
    case 'extra':
      return 3;
  }
}

// Detects misspellings: the common start and the common end must make up half of the longer text.
function isAlike(expected: string, actual: string): boolean {
  if (actual === '') return true;
  const a = expected.toLowerCase();
  const b = actual.toLowerCase();
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a.at(start) === b.at(start)) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return 2 * (start + end) >= Math.max(a.length, b.length);
}

// A sort key: a literal before a parameter before `*`, segment by segment, and a single method before all methods.
function breadth(rule: Rule): string {
  const kinds = segmentsOf(rule.path).map((segment) =>
    segment === '*' ? 'c' : segment.startsWith(':') ? 'b' : 'a',
  );
  return `${kinds.join('')}${rule.method === '*' ? 'b' : 'a'} ${rule.path}`;
}
