// Which routes one role could call more of, and which less, if its rules were others.
import { type RouteComparison, reaches } from '@portcullis/contract';
import { createEffort, isGivenUp } from './close-overlaps.ts';
import { gatherRoutes, nameOf, needsRule, type RouteSources } from './gather-routes.ts';
import { createReachFinder, type ReachRules } from './reach-finder.ts';

interface ReachInput extends RouteSources {
  readonly before: ReachRules;
  readonly after: ReachRules;
  readonly limit: number;
  readonly mostSteps?: number;
}

type Compared = RouteComparison['gained']['items'][number];

export async function compareReach(input: ReachInput): Promise<RouteComparison> {
  const routes = (await gatherRoutes(input)).filter(needsRule).map(nameOf);
  const effort = createEffort(input.mostSteps);
  const finder = await createReachFinder(routes, effort);
  const before = await finder.find(input.before);
  const after = await finder.find(input.after);
  const compared = routes.map(
    (route, index): Compared => ({
      ...route,
      before: before[index] ?? 'none',
      after: after[index] ?? 'none',
    }),
  );
  return {
    gained: counted(
      compared.filter((route) => riseOf(route) > 0),
      input.limit,
    ),
    lost: counted(
      compared.filter((route) => riseOf(route) < 0),
      input.limit,
    ),
    complete: !isGivenUp(effort),
  };
}

function riseOf({ before, after }: Pick<Compared, 'before' | 'after'>): number {
  return reaches.indexOf(after) - reaches.indexOf(before);
}

function counted(items: Compared[], limit: number) {
  return { count: items.length, items: items.slice(0, limit) };
}
