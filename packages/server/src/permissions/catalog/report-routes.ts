// How rules and routes fit together: the routes that nobody but admin can call, and the rules that match no route.
import { isDeepStrictEqual } from 'node:util';
import type { MatrixRoute, RouteReport } from '@portcullis/contract';
import { parseRule, type RuleText, splitRuleText } from '@portcullis/policy';
import { walk } from './find-overlaps.ts';
import { nameOf, needsRule } from './gather-routes.ts';
import { createPatternTrie, insertPattern, isOpen, type PatternNode, type Place } from './pattern-trie.ts';
import type { RulesOfRole } from './role-rule-store.ts';
import { createWorkLimit, isGivenUp } from './work-limit.ts';
import { inTurns } from './yielding.ts';

export interface ReportInput {
  readonly routes: readonly MatrixRoute[];
  readonly rules: readonly RulesOfRole[];
  /** A rule of a disabled role lets nobody call anything. */
  readonly enabledRoleKeys: ReadonlySet<string>;
  readonly limit: number;
  readonly mostSteps?: number;
}

type ReportedRoute = RouteReport['adminOnly']['items'][number];

export async function reportRoutes(input: ReportInput): Promise<RouteReport> {
  const effort = createWorkLimit(input.mostSteps);
  const { routes, routeTrie } = await placeRoutes(input);
  const { rules, ruleTrie, grantTrie } = await placeRules(input);
  await walk(routeTrie, grantTrie, effort);
  await walk(ruleTrie, routeTrie, effort);
  return {
    adminOnly: limited(
      routes.filter(({ place }) => isOpen(place)).map(({ item }) => item),
      input.limit,
    ),
    unmatchedRules: limited(rules.filter(isUnmatched).flatMap(ofEachRole).sort(byText), input.limit),
    complete: !isGivenUp(effort),
  };
}

/** The last report, for as long as what it is about stays as it is: a console asks for it again and again. */
export function createReport(build: typeof reportRoutes = reportRoutes): typeof reportRoutes {
  let last: { readonly input: ReportInput; readonly report: Promise<RouteReport> } | undefined;
  return async (input) => {
    // The rules of a role are the same list in memory until they change: most of it is not looked at.
    if (last === undefined || !isDeepStrictEqual(last.input, input)) last = { input, report: build(input) };
    const { report } = last;
    report.catch(() => {
      if (last?.report === report) last = undefined;
    });
    return await report;
  };
}

async function placeRoutes(input: ReportInput) {
  const routeTrie = createPatternTrie();
  const routes: { item: ReportedRoute; place: Place }[] = [];
  for await (const turn of inTurns([input.routes]))
    for (const route of turn) {
      const place = insertPattern(routeTrie, route);
      if (needsRule(route)) routes.push({ item: nameOf(route), place });
    }
  return { routes, routeTrie };
}

/** Many roles have the same rule: it is placed once. */
async function placeRules({ rules: roles, enabledRoleKeys }: ReportInput) {
  const ruleTrie = createPatternTrie();
  const grantTrie = createPatternTrie();
  const known = new Map<string, PlacedRule>();
  /** Of the role whose rules are in turn. */
  let roleKey = '';
  function* textsInOrder() {
    for (const { roleKey: next, texts } of roles) {
      roleKey = next;
      yield texts;
    }
  }
  for await (const turn of inTurns(textsInOrder()))
    for (const text of turn) {
      let rule = known.get(text);
      if (rule === undefined) {
        rule = placeRule(ruleTrie, text);
        known.set(text, rule);
      }
      rule.roleKeys.push(roleKey);
      if (rule.place === undefined || rule.isGranted) continue;
      rule.isGranted = roleKey !== 'admin' && enabledRoleKeys.has(roleKey);
      if (rule.isGranted) insertPattern(grantTrie, rule);
    }
  return { rules: [...known.values()], ruleTrie, grantTrie };
}

interface PlacedRule {
  readonly method: string;
  readonly path: string;
  readonly place: Place | undefined;
  readonly roleKeys: string[];
  /** Whether a role has it that lets somebody call something. */
  isGranted: boolean;
}

/** A stored rule that does not parse is not in force, and so it matches nothing. Any role key will do: that of a role is known to be good. */
function placeRule(trie: PatternNode, text: string): PlacedRule {
  const { method, path } = splitRuleText(text);
  const parsed = parseRule({ roleKey: 'any', method, path });
  const place = 'rule' in parsed ? insertPattern(trie, parsed.rule) : undefined;
  return { method, path, place, roleKeys: [], isGranted: false };
}

function isUnmatched({ place }: PlacedRule): boolean {
  return place === undefined || isOpen(place);
}

function ofEachRole({ method, path, roleKeys }: PlacedRule): RuleText[] {
  return roleKeys.map((roleKey) => ({ roleKey, method, path }));
}

function limited<Item>(items: readonly Item[], limit: number): { count: number; items: Item[] } {
  return { count: items.length, items: items.slice(0, limit) };
}

/** Memory and Postgres have them in different orders. */
function byText(one: RuleText, other: RuleText): number {
  for (const field of ['roleKey', 'path', 'method'] as const)
    if (one[field] !== other[field]) return one[field] < other[field] ? -1 : 1;
  return 0;
}
