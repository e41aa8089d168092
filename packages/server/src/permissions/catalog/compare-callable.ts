// Impact analysis of a rule change: lists the routes of which a role can call more paths, or fewer, after the change.
import { type Reach, type RouteComparison, reaches, routeName } from '@portcullis/contract';
import { gatherRoutes, nameOf, needsRule, type RouteSources } from './gather-routes.ts';
import { hasHolder } from './holders.ts';
import { createRuleTree, type Pattern, type RouteHolders } from './rule-tree.ts';
import { createWorkLimit, isGivenUp } from './work-limit.ts';
import { inTurns } from './yielding.ts';

interface ReachInput extends RouteSources {
  readonly before: readonly Pattern[];
  readonly after: readonly Pattern[];
  readonly limit: number;
  readonly mostSteps?: number;
}

type Compared = RouteComparison['gained']['items'][number];

/** The two holders in the rule tree: the role before and after the change. */
const [before, after] = [0, 1] as const;

export async function compareCallable(input: ReachInput): Promise<RouteComparison> {
  const routes = (await gatherRoutes(input)).filter(needsRule).map(nameOf);
  const workLimit = createWorkLimit(input.mostSteps);
  const tree = createRuleTree(2);
  for await (const batch of inTurns([input.before]))
    for (const rule of batch) tree.add(routeName(rule), before);
  for await (const batch of inTurns([input.after]))
    for (const rule of batch) tree.add(routeName(rule), after);
  const compared: Compared[] = [];
  for await (const batch of inTurns([routes]))
    for (const route of batch) {
      const holders = await tree.find(route, workLimit);
      compared.push({ ...route, before: reachOf(holders, before), after: reachOf(holders, after) });
    }
  return {
    gained: counted(
      compared.filter((route) => riseOf(route) > 0),
      input.limit,
    ),
    lost: counted(
      compared.filter((route) => riseOf(route) < 0),
      input.limit,
    ),
    complete: !isGivenUp(workLimit),
  };
}

function reachOf({ all, some }: RouteHolders, holder: number): Reach {
  if (hasHolder(all, holder)) return 'all';
  return hasHolder(some, holder) ? 'some' : 'none';
}

function riseOf({ before, after }: Pick<Compared, 'before' | 'after'>): number {
  return reaches.indexOf(after) - reaches.indexOf(before);
}

function counted(items: Compared[], limit: number) {
  return { count: items.length, items: items.slice(0, limit) };
}
