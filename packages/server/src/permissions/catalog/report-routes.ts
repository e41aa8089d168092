// Coverage report of rules and routes: the routes that only admin can call, and the rules that match no route.
import { isDeepStrictEqual } from 'node:util';
import type { MatrixRoute, RouteReport } from '@portcullis/contract';
import { parseRule, type RuleText, splitRuleText } from '@portcullis/policy';
import { closeOverlapping } from './find-overlaps.ts';
import { nameOf, needsRule } from './gather-routes.ts';
import { createPatternTrie, insertPattern, isOpen, type PatternNode, type Place } from './pattern-trie.ts';
import type { RulesOfRole } from './role-rule-store.ts';
import { createWorkLimit, isGivenUp } from './work-limit.ts';
import { inTurns } from './yielding.ts';

export interface ReportInput {
  readonly routes: readonly MatrixRoute[];
  readonly rules: readonly RulesOfRole[];
  /** Rules of a disabled role allow no call. */
  readonly enabledRoleKeys: ReadonlySet<string>;
  readonly limit: number;
  readonly mostSteps?: number;
}

type ReportedRoute = RouteReport['adminOnly']['items'][number];

export async function reportRoutes(input: ReportInput): Promise<RouteReport> {
  const workLimit = createWorkLimit(input.mostSteps);
  const { routes, routeTrie } = await insertRoutes(input);
  const { rules, ruleTrie, grantTrie } = await insertRules(input);
  await closeOverlapping(routeTrie, grantTrie, workLimit);
  await closeOverlapping(ruleTrie, routeTrie, workLimit);
  return {
    adminOnly: limited(
      routes.filter(({ position }) => isOpen(position)).map(({ item }) => item),
      input.limit,
    ),
    unmatchedRules: limited(rules.filter(isUnmatched).flatMap(ofEachRole).sort(byText), input.limit),
    complete: !isGivenUp(workLimit),
  };
}

/** Caches the last report while its input does not change: the console requests it repeatedly. */
export function createReport(build: typeof reportRoutes = reportRoutes): typeof reportRoutes {
  let last: { readonly input: ReportInput; readonly report: Promise<RouteReport> } | undefined;
  return async (input) => {
    // The deep comparison is cheap: the rules of a role are the same list in memory until they change.
    if (last === undefined || !isDeepStrictEqual(last.input, input)) last = { input, report: build(input) };
    const { report } = last;
    report.catch(() => {
      if (last?.report === report) last = undefined;
    });
    return await report;
  };
}

async function insertRoutes(input: ReportInput) {
  const routeTrie = createPatternTrie();
  const routes: { item: ReportedRoute; position: Place }[] = [];
  for await (const batch of inTurns([input.routes]))
    for (const route of batch) {
      const position = insertPattern(routeTrie, route);
      if (needsRule(route)) routes.push({ item: nameOf(route), position });
    }
  return { routes, routeTrie };
}

/** Inserts each rule once, because many roles have the same rule. */
async function insertRules({ rules: roles, enabledRoleKeys }: ReportInput) {
  const ruleTrie = createPatternTrie();
  const grantTrie = createPatternTrie();
  const known = new Map<string, InsertedRule>();
  /** The key of the role whose rules the loop inserts now. */
  let roleKey = '';
  function* textsInOrder() {
    for (const { roleKey: next, texts } of roles) {
      roleKey = next;
      yield texts;
    }
  }
  for await (const batch of inTurns(textsInOrder()))
    for (const text of batch) {
      let rule = known.get(text);
      if (rule === undefined) {
        rule = insertRule(ruleTrie, text);
        known.set(text, rule);
      }
      rule.roleKeys.push(roleKey);
      if (rule.position === undefined || rule.isGranted) continue;
      rule.isGranted = roleKey !== 'admin' && enabledRoleKeys.has(roleKey);
      if (rule.isGranted) insertPattern(grantTrie, rule);
    }
  return { rules: [...known.values()], ruleTrie, grantTrie };
}

interface InsertedRule {
  readonly method: string;
  readonly path: string;
  readonly position: Place | undefined;
  readonly roleKeys: string[];
  /** Whether an enabled role, other than admin, has the rule. */
  isGranted: boolean;
}

/**
 * A stored rule that does not parse is not in force, so it matches nothing. The role key is always valid, so `any` is
 * enough.
 */
function insertRule(trie: PatternNode, text: string): InsertedRule {
  const { method, path } = splitRuleText(text);
  const parsed = parseRule({ roleKey: 'any', method, path });
  const position = 'rule' in parsed ? insertPattern(trie, parsed.rule) : undefined;
  return { method, path, position, roleKeys: [], isGranted: false };
}

function isUnmatched({ position }: InsertedRule): boolean {
  return position === undefined || isOpen(position);
}

function ofEachRole({ method, path, roleKeys }: InsertedRule): RuleText[] {
  return roleKeys.map((roleKey) => ({ roleKey, method, path }));
}

function limited<Item>(items: readonly Item[], limit: number): { count: number; items: Item[] } {
  return { count: items.length, items: items.slice(0, limit) };
}

/** Memory and Postgres return rules in different orders, so the report sorts them. */
function byText(one: RuleText, other: RuleText): number {
  for (const field of ['roleKey', 'path', 'method'] as const)
    if (one[field] !== other[field]) return one[field] < other[field] ? -1 : 1;
  return 0;
}
