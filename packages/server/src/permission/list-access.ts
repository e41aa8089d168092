// All that a subject may call, with what allows it: the steps of the checks and the rules in force, route by route.
import {
  type AccessRoute,
  accessRoutesLimit,
  accessRulesLimit,
  type MatrixRoute,
} from '@portcullis/contract';
import { listRules, type Rule, type Snapshot } from '@portcullis/policy';
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
      const allowing = isCompared ? rulesFor(route, rules) : [];
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

function rulesFor(route: MatrixRoute, rules: readonly Rule[]): AccessRoute['rules'] {
  const touching = rules.filter((rule) => overlaps(rule, route));
  const isOwn = ({ method, path }: Rule) => method === route.method && path === route.path;
  return [...touching.filter(isOwn), ...touching.filter((rule) => !isOwn(rule))]
    .slice(0, accessRulesLimit)
    .map(({ method, path }) => ({ method, path }));
}

/** Whether there is a path of the route that the rule allows. */
function overlaps(rule: Pick<Rule, 'method' | 'path'>, route: Pick<MatrixRoute, 'method' | 'path'>): boolean {
  if (rule.method !== '*' && rule.method !== route.method) return false;
  const [allowed, called] = [rule.path.split('/'), route.path.split('/')];
  const [isOpen, isOpenCall] = [allowed, called].map((segments) => segments.at(-1) === '*');
  const shared = Math.min(allowed.length, called.length);
  if (allowed.length < called.length && !isOpen) return false;
  if (allowed.length > called.length && !isOpenCall) return false;
  return allowed.slice(0, shared).every((segment, place) => meets(segment, called[place] ?? ''));
}

const meets = (one: string, other: string) =>
  one === other || [one, other].some((segment) => segment.startsWith(':') || segment === '*');

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}
