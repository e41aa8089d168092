// How rules and routes fit together: the routes that nobody but admin can call, and the rules that match no route.
import type { RouteReport } from '@portcullis/contract';
import { parseRule, type RuleText } from '@portcullis/policy';
import { walk } from './close-overlaps.ts';
import { createEffort, isGivenUp } from './effort.ts';
import { gatherRoutes, nameOf, needsRule, type RouteSources } from './gather-routes.ts';
import { inTurns } from './in-turns.ts';
import { createPatternTrie, insertPattern, isOpen, type PatternNode, type Place } from './pattern-trie.ts';
import type { RulesOfRole } from './role-rule-store.ts';

export interface ReportInput extends RouteSources {
  readonly rules: AsyncIterable<RulesOfRole>;
  /** A rule of a disabled role lets nobody call anything. */
  readonly enabledRoleKeys: ReadonlySet<string>;
  readonly limit: number;
  readonly mostSteps?: number;
}

type ReportedRoute = RouteReport['adminOnly']['items'][number];
type Listed<Item> = readonly { readonly item: Item; readonly place: Place | undefined }[];

export async function reportRoutes(input: ReportInput): Promise<RouteReport> {
  const effort = createEffort(input.mostSteps);
  const { routes, routeTrie } = await placeRoutes(input);
  const { rules, ruleTrie, grantTrie } = await placeRules(input);
  await walk(routeTrie, grantTrie, effort);
  await walk(ruleTrie, routeTrie, effort);
  return {
    adminOnly: listOpen(routes, input.limit),
    unmatchedRules: listOpen(rules, input.limit, byText),
    complete: !isGivenUp(effort),
  };
}

async function placeRoutes(input: ReportInput) {
  const routeTrie = createPatternTrie();
  const routes: { item: ReportedRoute; place: Place }[] = [];
  for await (const turn of inTurns([await gatherRoutes(input)]))
    for (const route of turn) {
      const place = insertPattern(routeTrie, route);
      if (needsRule(route)) routes.push({ item: nameOf(route), place });
    }
  return { routes, routeTrie };
}

/** Many roles have the same rule: it is read once, and its place is theirs. */
async function placeRules({ rules: roles, enabledRoleKeys }: ReportInput) {
  const ruleTrie = createPatternTrie();
  const grantTrie = createPatternTrie();
  const known = new Map<string, Map<string, PlacedRule>>();
  const rules: { item: RuleText; place: Place | undefined }[] = [];
  for await (const turn of inTurns(pagesOf(roles)))
    for (const item of turn) {
      const ofMethod = known.get(item.method) ?? new Map<string, PlacedRule>();
      const placed = ofMethod.get(item.path) ?? placeRule(ruleTrie, item);
      known.set(item.method, ofMethod.set(item.path, placed));
      rules.push({ item, place: placed.place });
      if (placed.place === undefined || placed.isGranted) continue;
      placed.isGranted = item.roleKey !== 'admin' && enabledRoleKeys.has(item.roleKey);
      if (placed.isGranted) insertPattern(grantTrie, item);
    }
  return { rules, ruleTrie, grantTrie };
}

async function* pagesOf(roles: AsyncIterable<RulesOfRole>): AsyncGenerator<readonly RuleText[]> {
  for await (const { rules } of roles) yield rules;
}

interface PlacedRule {
  readonly place: Place | undefined;
  /** Whether a role has it that lets somebody call something. */
  isGranted: boolean;
}

/** A stored rule that does not parse is not in force, and so it matches nothing. Any role key will do: that of a role is known to be good. */
function placeRule(trie: PatternNode, { method, path }: RuleText): PlacedRule {
  const parsed = parseRule({ roleKey: 'any', method, path });
  return { place: 'rule' in parsed ? insertPattern(trie, parsed.rule) : undefined, isGranted: false };
}

function listOpen<Item>(
  listed: Listed<Item>,
  limit: number,
  order?: (one: Item, other: Item) => number,
): { count: number; items: Item[] } {
  const open = listed.filter(({ place }) => place === undefined || isOpen(place)).map(({ item }) => item);
  return { count: open.length, items: (order === undefined ? open : open.sort(order)).slice(0, limit) };
}

/** Memory and Postgres have them in different orders. */
function byText(one: RuleText, other: RuleText): number {
  for (const field of ['roleKey', 'path', 'method'] as const)
    if (one[field] !== other[field]) return one[field] < other[field] ? -1 : 1;
  return 0;
}
