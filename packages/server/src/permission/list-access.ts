// All that a subject may call, with what allows it: the steps of the checks and the rules in force, route by route.
import {
  type AccessRoute,
  accessRoutesLimit,
  accessRulesLimit,
  type MatrixRoute,
} from '@portcullis/contract';
import { listRules, type Snapshot } from '@portcullis/policy';
import { inTurns } from '../catalog/in-turns.ts';
import { buildMatrix } from '../catalog/matrix/build-matrix.ts';
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

/** Of a rule with a route; about a second of them, while other requests are answered. */
const defaultMostComparisons = 5_000_000;

export async function listAccess(question: AccessQuestion): Promise<Access> {
  const { subject, routes, snapshot, mostComparisons = defaultMostComparisons } = question;
  const { roleKey } = subject;
  const rules = listRules(snapshot, roleKey);
  const texts = rules.map(({ method, path }) => ({ roleKey, method, path }));
  const cutRules = rules.map(cut);
  const { cells, complete } = await buildMatrix({ routes, roleKeys: [roleKey], rules: once(texts) });
  const [reached = ''] = cells;
  const items: AccessRoute[] = [];
  let count = 0;
  let comparisons = 0;
  let place = 0;
  for await (const turn of inTurns([routes]))
    for (const route of turn) {
      const cell = reached[place];
      place += 1;
      const by = stepOf(route, roleKey) ?? (cell === '-' ? undefined : 'rule');
      if (by === undefined) continue;
      count += 1;
      if (items.length >= accessRoutesLimit) continue;
      const isCompared = by === 'rule' && comparisons < mostComparisons;
      if (by === 'rule') comparisons += rules.length;
      const allowing = isCompared ? rulesFor(cut(route), cutRules) : [];
      const { service, method, path, title } = route;
      const reach = by === 'rule' && cell === 's' ? 'some' : 'all';
      items.push({ service, method, path, title, by, reach, rules: allowing });
    }
  return { routes: { count, items }, complete: complete && comparisons < mostComparisons };
}

/** What allows a route without a rule. */
function stepOf(
  { access, excluded }: MatrixRoute,
  roleKey: string,
): Exclude<AccessRoute['by'], 'rule'> | undefined {
  if (access !== 'permission') return access;
  if (roleKey === 'admin') return 'admin';
  return excluded ? 'excluded' : undefined;
}

/** Cut into its segments once: every rule is compared with every route. */
interface Cut {
  readonly method: string;
  readonly path: string;
  readonly segments: readonly string[];
}
const cut = ({ method, path }: Pick<Cut, 'method' | 'path'>): Cut => ({
  method,
  path,
  segments: path.split('/'),
});

function rulesFor(route: Cut, rules: readonly Cut[]): AccessRoute['rules'] {
  const touching = rules.filter((rule) => overlaps(rule, route));
  const isOwn = ({ method, path }: Cut) => method === route.method && path === route.path;
  return [...touching.filter(isOwn), ...touching.filter((rule) => !isOwn(rule))]
    .slice(0, accessRulesLimit)
    .map(({ method, path }) => ({ method, path }));
}

/** Whether there is a path of the route that the rule allows. */
function overlaps(rule: Cut, route: Cut): boolean {
  if (rule.method !== '*' && rule.method !== route.method) return false;
  const [allowed, called] = [rule.segments, route.segments];
  if (allowed.length < called.length && allowed.at(-1) !== '*') return false;
  if (allowed.length > called.length && called.at(-1) !== '*') return false;
  return allowed.every((segment, place) => place >= called.length || meets(segment, called[place] ?? ''));
}

const meets = (one: string, other: string) => one === other || isAny(one) || isAny(other);
const isAny = (segment: string) => segment === '*' || segment.startsWith(':');

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}
