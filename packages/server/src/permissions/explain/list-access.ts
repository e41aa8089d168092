// Lists the effective permissions of a user or role: every route that the subject can call, with the step or the rules that
// allow it.
import {
  type AccessRoute,
  accessRoutesLimit,
  accessRulesLimit,
  type MatrixRoute,
  routeName,
} from '@portcullis/contract';
import { listRules, type Snapshot } from '@portcullis/policy';
import { buildMatrix } from '../catalog/matrix/build-matrix.ts';
import { inTurns } from '../catalog/yielding.ts';
import { overlaps, type SplitPattern, splitPattern } from './overlaps.ts';
import type { Subject } from './subject-store.ts';

interface AccessQuestion {
  readonly subject: Subject;
  readonly routes: readonly MatrixRoute[];
  readonly snapshot: Snapshot;
  readonly mostComparisons?: number;
}

interface Access {
  readonly routes: { readonly count: number; readonly items: AccessRoute[] };
  readonly complete: boolean;
}

/** The maximum number of comparisons of a rule with a route: about a second of work, with yielding to other requests. */
const defaultMostComparisons = 5_000_000;

export async function listAccess(question: AccessQuestion): Promise<Access> {
  const { subject, routes, snapshot, mostComparisons = defaultMostComparisons } = question;
  const { roleKey } = subject;
  const rules = listRules(snapshot, roleKey);
  const cutRules = rules.map(splitPattern);
  const { cells, complete } = await buildMatrix({
    routes,
    roleKeys: [roleKey],
    rules: [{ roleKey, texts: rules.map(routeName) }],
  });
  const [reached = ''] = cells;
  const items: AccessRoute[] = [];
  let count = 0;
  let comparisons = 0;
  let index = 0;
  for await (const batch of inTurns([routes]))
    for (const route of batch) {
      const cell = reached[index];
      index += 1;
      const by = stepOf(route, roleKey) ?? (cell === '-' ? undefined : 'rule');
      if (by === undefined) continue;
      count += 1;
      if (items.length >= accessRoutesLimit) continue;
      const isCompared = by === 'rule' && comparisons < mostComparisons;
      if (by === 'rule') comparisons += rules.length;
      const allowing = isCompared ? rulesFor(splitPattern(route), cutRules) : [];
      const { service, method, path, title } = route;
      const reach = by === 'rule' && cell === 's' ? 'some' : 'all';
      items.push({ service, method, path, title, by, reach, rules: allowing });
    }
  return { routes: { count, items }, complete: complete && comparisons < mostComparisons };
}

/** The step that allows the route without a rule. */
function stepOf(
  { access, excluded }: MatrixRoute,
  roleKey: string,
): Exclude<AccessRoute['by'], 'rule'> | undefined {
  if (access !== 'permission') return access;
  if (roleKey === 'admin') return 'admin';
  return excluded ? 'excluded' : undefined;
}

function rulesFor(route: SplitPattern, rules: readonly SplitPattern[]): AccessRoute['rules'] {
  const touching = rules.filter((rule) => overlaps(rule, route));
  const isOwn = ({ method, path }: SplitPattern) => method === route.method && path === route.path;
  return [...touching.filter(isOwn), ...touching.filter((rule) => !isOwn(rule))]
    .slice(0, accessRulesLimit)
    .map(({ method, path }) => ({ method, path }));
}
