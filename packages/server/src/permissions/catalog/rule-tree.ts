// Trie of the rules of several holders (roles, or one role before and after a change), by path segments. Holders have many
// rules in common. The trie stores each rule once, with the set of its holders, so one search finds the access of all
// holders to a route.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { routeName } from '@portcullis/contract';
import { parseRule, splitRuleText } from '@portcullis/policy';
import { representativePaths } from '../../base/values/is-within.ts';
import {
  addHolder,
  addHolders,
  areAmong,
  createHolders,
  type Holders,
  hasHolder,
  keepHolders,
} from './holders.ts';
import { isGivenUp, takeStep, type WorkLimit } from './work-limit.ts';

export interface Pattern {
  readonly method: string;
  readonly path: string;
}

export interface RouteHolders {
  /** The holders of a rule with exactly this method and path. */
  readonly named: Holders;
  /** The holders that can call every path of the route. */
  readonly all: Holders;
  /** The holders that can call at least one path of the route. Incomplete if the work limit was reached. */
  readonly some: Holders;
}

export interface RuleTree {
  /** Takes a rule as `METHOD /path`. Ignores a rule that does not parse, because it is not in force. */
  add(rule: string, holder: number): void;
  find(route: Pattern, workLimit: WorkLimit): Promise<RouteHolders>;
}

interface Node {
  readonly depth: number;
  readonly parent: Node | undefined;
  literals: Map<string, Node> | undefined;
  parameter: Node | undefined;
  /** The rules that end here. */
  readonly ends: Leaf[];
  /** The rules that have `*` after this segment. */
  readonly rests: Leaf[];
  /** The holders of the rules in this node and below. */
  readonly holders: Holders;
}

interface Leaf {
  readonly node: Node;
  readonly method: string;
  readonly holders: Holders;
}

/** @example const tree = createRuleTree(2); tree.add('GET /orders/*', 0); */
export function createRuleTree(count: number): RuleTree {
  const root = createNode(undefined, count);
  /** The leaves by rule text; undefined for a rule that is not in force. */
  const leaves = new Map<string, Leaf | undefined>();
  const none = createHolders(count);

  function insert(rule: string): Leaf | undefined {
    const { method, path } = splitRuleText(rule);
    if ('reason' in parseRule({ roleKey: 'any', method, path })) return undefined;
    const segments = segmentsOf(path);
    const isRest = segments.at(-1) === '*';
    let node = root;
    for (const segment of isRest ? segments.slice(0, -1) : segments) node = enter(node, segment, count);
    const leaf = { node, method, holders: createHolders(count) };
    (isRest ? node.rests : node.ends).push(leaf);
    return leaf;
  }

  function leafOf(rule: string): Leaf | undefined {
    const known = leaves.get(rule);
    if (known !== undefined || leaves.has(rule)) return known;
    const leaf = insert(rule);
    leaves.set(rule, leaf);
    return leaf;
  }

  function findAll(route: Pattern): Holders {
    const [first, ...others] = representativePaths(route.path).map((path) => {
      const found = createHolders(count);
      collect(root, segmentsOf(path), route.method, found);
      return found;
    });
    const all = first ?? none;
    for (const other of others) keepHolders(all, other);
    return all;
  }

  return {
    add(rule, holder) {
      const leaf = leafOf(rule);
      if (leaf === undefined) return;
      addHolder(leaf.holders, holder);
      let node: Node | undefined = leaf.node;
      for (; node !== undefined && !hasHolder(node.holders, holder); node = node.parent)
        addHolder(node.holders, holder);
    },
    async find(route, workLimit) {
      const all = findAll(route);
      const named = leaves.get(routeName(route))?.holders ?? none;
      // A route without parameter and `*` has only one path.
      const some = /[:*]/.test(route.path) ? await findSome(root, route, all, workLimit) : all;
      return { named, all, some };
    },
  };
}

/**
 * Adds the holders that can call this path, by the logic of the policy engine: a parameter of a rule matches any
 * segment.
 */
function collect(node: Node, segments: readonly string[], method: string, found: Holders): void {
  if (areAmong(node.holders, found)) return;
  const segment = segments[node.depth];
  if (segment === undefined) {
    addMeeting(node.ends, method, found);
    return;
  }
  addMeeting(node.rests, method, found);
  const literal = node.literals?.get(segment);
  if (literal !== undefined) collect(literal, segments, method, found);
  if (node.parameter !== undefined) collect(node.parameter, segments, method, found);
}

/**
 * Finds the holders of rules that overlap the route. Segment by segment, a literal matches the same literal and a
 * parameter, a parameter matches both, `*` matches one or more segments of any kind, and both must end together.
 */
async function findSome(
  root: Node,
  { method, path }: Pattern,
  all: Holders,
  workLimit: WorkLimit,
): Promise<Holders> {
  const found = all.slice();
  const segments = segmentsOf(path);
  const isRest = segments.at(-1) === '*';
  if (isRest) segments.pop();
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined && !isGivenUp(workLimit); node = waiting.pop()) {
    if (areAmong(node.holders, found)) continue;
    if (takeStep(workLimit)) await nextTurn();
    const segment = segments[node.depth];
    const isBehind = node.depth > segments.length;
    if (segment !== undefined || isRest) addMeeting(node.rests, method, found);
    if (isRest ? isBehind : segment === undefined) addMeeting(node.ends, method, found);
    if (segment === undefined && !isRest) continue;
    if (node.parameter !== undefined) waiting.push(node.parameter);
    if (segment === undefined || segment.startsWith(':'))
      for (const literal of node.literals?.values() ?? []) waiting.push(literal);
    else {
      const literal = node.literals?.get(segment);
      if (literal !== undefined) waiting.push(literal);
    }
  }
  return found;
}

function addMeeting(leaves: readonly Leaf[], method: string, found: Holders): void {
  for (const leaf of leaves)
    if (leaf.method === method || leaf.method === '*') addHolders(found, leaf.holders);
}

function createNode(parent: Node | undefined, count: number): Node {
  return {
    depth: parent === undefined ? 0 : parent.depth + 1,
    parent,
    literals: undefined,
    parameter: undefined,
    ends: [],
    rests: [],
    holders: createHolders(count),
  };
}

function enter(node: Node, segment: string, count: number): Node {
  if (segment.startsWith(':')) {
    node.parameter ??= createNode(node, count);
    return node.parameter;
  }
  node.literals ??= new Map();
  const known = node.literals.get(segment);
  if (known !== undefined) return known;
  const added = createNode(node, count);
  node.literals.set(segment, added);
  return added;
}

function segmentsOf(path: string): string[] {
  return path === '/' ? [] : path.slice(1).split('/');
}
