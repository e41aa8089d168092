// How rules and routes fit together: the routes that nobody but admin can call, and the rules that match no route.
import type { RouteReport } from '@portcullis/contract';
import { parseRule, type RuleText } from '@portcullis/policy';
import { walk } from './close-overlaps.ts';
import { createEffort, isGivenUp } from './effort.ts';
import { gatherRoutes, nameOf, needsRule, type RouteSources } from './gather-routes.ts';
import { inTurns } from './in-turns.ts';
import { createPatternTrie, insertPattern, isOpen, type Place } from './pattern-trie.ts';

export interface ReportInput extends RouteSources {
  readonly rules: AsyncIterable<readonly RuleText[]>;
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
    unmatchedRules: listOpen(rules, input.limit),
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

/** A stored rule that does not parse is not in force, and so it matches nothing. */
async function placeRules({ rules: pages, enabledRoleKeys }: ReportInput) {
  const ruleTrie = createPatternTrie();
  const grantTrie = createPatternTrie();
  const rules: { item: RuleText; place: Place | undefined }[] = [];
  for await (const turn of inTurns(pages))
    for (const item of turn) {
      const parsed = parseRule(item);
      const isGrant = item.roleKey !== 'admin' && enabledRoleKeys.has(item.roleKey);
      if ('rule' in parsed && isGrant) insertPattern(grantTrie, parsed.rule);
      rules.push({ item, place: 'rule' in parsed ? insertPattern(ruleTrie, parsed.rule) : undefined });
    }
  return { rules, ruleTrie, grantTrie };
}

function listOpen<Item>(listed: Listed<Item>, limit: number): { count: number; items: Item[] } {
  const open = listed.filter(({ place }) => place === undefined || isOpen(place));
  return { count: open.length, items: open.slice(0, limit).map(({ item }) => item) };
}
