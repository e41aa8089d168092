// How much of each route the rules of a role reach. The routes are sorted once, however many roles are looked at: a walk
// finds those that the rules touch, and only of these it is asked whether they are allowed whole.
import type { Reach } from '@portcullis/contract';
import { type Effort, isGivenUp, walk } from './close-overlaps.ts';
import { inTurns } from './in-turns.ts';
import { createPatternTrie, insertPattern, isOpen, type Place, reopen } from './pattern-trie.ts';

export interface Pattern {
  readonly method: string;
  readonly path: string;
}

export interface ReachRules {
  readonly rules: readonly Pattern[];
  /** Whether every path of the route may be called. */
  readonly allowsAll: (route: Pattern) => boolean;
}

export interface ReachFinder {
  /** In the order of the routes. One role is looked at after the other, never two at once. */
  find(rules: ReachRules): Promise<Reach[]>;
}

export async function createReachFinder(routes: readonly Pattern[], effort: Effort): Promise<ReachFinder> {
  const routeTrie = createPatternTrie();
  const placed: { route: Pattern; place: Place }[] = [];
  for await (const turn of inTurns([routes]))
    for (const route of turn) placed.push({ route, place: insertPattern(routeTrie, route) });

  return {
    find: async ({ rules, allowsAll }) => {
      const ruleTrie = createPatternTrie();
      for await (const turn of inTurns([rules])) for (const rule of turn) insertPattern(ruleTrie, rule);
      await walk(routeTrie, ruleTrie, effort);
      const reached: Reach[] = [];
      for await (const turn of inTurns([placed]))
        for (const { route, place } of turn) {
          const isTouched = !isOpen(place);
          const isAll = (isTouched || isGivenUp(effort)) && allowsAll(route);
          reached.push(isAll ? 'all' : isTouched ? 'some' : 'none');
        }
      for (const { place } of placed) reopen(place);
      return reached;
    },
  };
}
