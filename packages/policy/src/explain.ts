// Explains a policy decision: the step that decided, the matching rule, and for a refusal the nearest rules, as data and
// as one sentence. It allows nothing that `decide` denies.
import { pathProblem } from './canonical-path.ts';
import type { Snapshot } from './compile.ts';
import { type AccessRequest, type Decision, decide } from './decide.ts';
import { isMethod, methods } from './method.ts';
import { type Difference, matchingRule, type NearRule, nearestRules } from './nearest-rules.ts';
import type { Rule } from './parse-rule.ts';
import { quote, shorten } from './quote.ts';
import { ruleText } from './rule-text.ts';

/** An entry of the exclusion list: a method and a path that need no permission. Both must match exactly. */
export interface Exclusion {
  readonly method: string;
  readonly path: string;
}

/** Why a request is allowed or denied. */
export interface Explanation {
  /** The step that decided; the type lists the steps in their order. `none` means that no step allowed the request. */
  readonly step: 'admin' | 'excluded' | 'rule' | 'none';
  readonly decision: Decision;
  /** The most specific rule that allows the request, when the step is `rule`. */
  readonly rule?: Rule;
  /** On a refusal, up to three rules of the role that almost allow the request, the nearest first. */
  readonly nearest: readonly NearRule[];
  readonly sentence: string;
}

/**
 * Explains the permission check of one request: `admin` passes, then the exclusion list, then the role's rules.
 *
 * @example
 * explain(snapshot, { roleKey: 'editor', method: 'DELETE', path: '/articles/7' }).sentence;
 * // The role "editor" may not call DELETE /articles/7. Its rule GET /articles/:id comes nearest:
 * // the method is DELETE where the rule has GET.
 */
export function explain(
  snapshot: Snapshot,
  request: AccessRequest,
  exclusions: Iterable<Exclusion> = [],
): Explanation {
  const { roleKey, method, path } = request;
  if (roleKey === 'admin') return allowed('admin', 'The role "admin" passes without a permission check.');
  for (const exclusion of exclusions) {
    if (exclusion.method === method && exclusion.path === path) {
      return allowed(
        'excluded',
        `${method} ${shorten(path)} is on the exclusion list, so every role may call it.`,
      );
    }
  }
  const rules = [...(snapshot.rules.get(roleKey)?.values() ?? [])];
  const passes = decide(snapshot, roleKey, method, path) === 'allow';
  const rule = passes ? matchingRule(rules, method, path) : undefined;
  if (rule === undefined) return refused(request, rules);
  const sentence = `The role ${quote(roleKey)} may call ${method} ${shorten(path)} because of its rule ${ruleText(rule)}.`;
  return { ...allowed('rule', sentence), rule };
}

function allowed(step: Explanation['step'], sentence: string): Explanation {
  return { step, decision: 'allow', nearest: [], sentence };
}

function refused(request: AccessRequest, rules: readonly Rule[]): Explanation {
  const impossible = whyNoRuleCan(request);
  const nearest = impossible === undefined ? nearestRules(rules, request.method, request.path) : [];
  const sentence = impossible ?? refusalSentence(request, rules.length, nearest[0]);
  return { step: 'none', decision: 'deny', nearest, sentence };
}

function whyNoRuleCan({ method, path }: AccessRequest): string | undefined {
  if (!isMethod(method)) {
    return `No rule can allow the method ${quote(method)}: the methods are ${methods.join(', ')}.`;
  }
  const problem = pathProblem(path);
  return problem && `No rule can allow the path ${quote(path)}, because ${problem}.`;
}

function refusalSentence(
  { roleKey, method, path }: AccessRequest,
  ruleCount: number,
  near?: NearRule,
): string {
  const role = `The role ${quote(roleKey)}`;
  const call = `${method} ${shorten(path)}`;
  if (ruleCount === 0) return `${role} has no rules, so it may not call ${call}.`;
  const refusal = `${role} may not call ${call}`;
  if (near === undefined) return `${refusal}: none of its rules comes near (it has ${ruleCount}).`;
  const differs = near.differs.map(differencePhrase).join(', and ');
  return `${refusal}. Its rule ${ruleText(near.rule)} comes nearest: ${differs}.`;
}

function differencePhrase(difference: Difference): string {
  switch (difference.kind) {
    case 'method':
      return `the method is ${difference.actual} where the rule has ${difference.expected}`;
    case 'segment':
      return `segment ${difference.place} is ${quote(difference.actual)} where the rule has ${quote(difference.expected)}`;
    case 'missing':
      return `segment ${difference.place} is missing where the rule has ${quote(difference.expected)}`;
    case 'extra':
      return `segment ${difference.place}, ${quote(difference.actual)}, is more than the rule has`;
  }
}
