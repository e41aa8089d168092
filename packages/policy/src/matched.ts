// Finds the rule that allows a request, for records of calls: the rule that `explain` names, without its cost. It walks the
// index of the role like `decide`, but tries the most specific branch first: a literal, then a parameter, then `*`.
import { isCanonical, longestPath } from './canonical-path.ts';
import type { Snapshot } from './compile.ts';
import { childOffset } from './decide.ts';
import { anyMethodBit, requestMask, ruleBit } from './method.ts';
import type { Rule } from './parse-rule.ts';
import { layout } from './role-index.ts';
import type { RoleRules, RulesByPlace } from './role-rules.ts';

const { headerLength, parameterFlag } = layout;
const slash = 47;
const star = 42;
const colon = 58;

/**
 * The most specific rule of the role that allows the method on the path; undefined exactly where `decide` denies. The first
 * call after a change of the role's rules also indexes them, which takes about 1 ms for 1,000 rules.
 *
 * @example
 * matched(snapshot, 'editor', 'GET', '/articles/7')?.path; // /articles/:id
 */
export function matched(snapshot: Snapshot, roleKey: string, method: string, path: string): Rule | undefined {
  const { block, starts } = snapshot.packed;
  const start = starts.get(roleKey);
  const rules = snapshot.rules.get(roleKey);
  if (start === undefined || rules === undefined) return undefined;
  if (path.charCodeAt(0) !== slash || path.length > longestPath) return undefined;
  const place = find(block, start, path, 1, requestMask(method), false);
  if (place === undefined) return undefined;
  rules.byPlace ??= indexRules(block, start, rules);
  return ruleAt(rules.byPlace, place - placeOf(start), requestMask(method));
}

/** A node of the index, and whether a rule with `*` there is meant or a rule that ends there. */
type Place = number;

function placeOf(node: number, isRest = false): Place {
  return node * 2 + (isRest ? 1 : 0);
}

function find(
  index: DataView,
  node: number,
  path: string,
  from: number,
  mask: number,
  checked: boolean,
): Place | undefined {
  const header = index.getUint32(node);
  const labelLength = header >>> 24;
  const label = node + headerLength;
  if (from + labelLength > path.length) return undefined;
  for (let i = 0; i < labelLength; i++) {
    if (index.getUint8(label + i) !== path.charCodeAt(from + i)) return undefined;
  }
  const at = from + labelLength;
  if (at === path.length) return ((header >>> 16) & mask) === 0 ? undefined : placeOf(node);

  const children = header & 255;
  const literals = children & ~parameterFlag;
  const hasParameter = children >= parameterFlag;
  const characters = label + labelLength;
  const offsets = characters + literals;
  const count = hasParameter ? literals + 1 : literals;
  const code = path.charCodeAt(at);
  for (let child = 0; child < literals; child++) {
    if (index.getUint8(characters + child) !== code) continue;
    const found = find(index, childOffset(index, node, offsets, child, count), path, at + 1, mask, checked);
    if (found !== undefined) return found;
    break;
  }
  const isRest = ((header >>> 8) & mask) !== 0;
  if (!(hasParameter || isRest) || !(checked || isCanonical(path, at))) return undefined;
  if (hasParameter) {
    const end = path.indexOf('/', at);
    const next = end === -1 ? path.length : end;
    const found = find(index, childOffset(index, node, offsets, literals, count), path, next, mask, true);
    if (found !== undefined) return found;
  }
  return isRest ? placeOf(node, true) : undefined;
}

// Places are stored relative to the start of the role, because the role can move to another block.
function keyOf(place: Place, bit: number): number {
  return place * 256 + bit;
}

function ruleAt(rules: RulesByPlace, place: Place, mask: number): Rule | undefined {
  return rules.get(keyOf(place, mask & ~anyMethodBit)) ?? rules.get(keyOf(place, anyMethodBit));
}

function indexRules(index: DataView, start: number, rules: RoleRules): RulesByPlace {
  const made = new Map<number, Rule>();
  for (const rule of rules.values()) {
    const key = keyOf(locate(index, start, rule.path) - placeOf(start), ruleBit(rule.method));
    // The rules are sorted. Of two that differ only in the names of parameters, the first is named, as in `explain`.
    if (!made.has(key)) made.set(key, rule);
  }
  return made;
}

/** The place where a rule of the role is stored. */
function locate(index: DataView, start: number, path: string): Place {
  let node = start;
  for (let at = 1; ; ) {
    const header = index.getUint32(node);
    const labelLength = header >>> 24;
    at += labelLength;
    if (at >= path.length) return placeOf(node);
    const code = path.charCodeAt(at);
    if (code === star) return placeOf(node, true);
    const children = header & 255;
    const literals = children & ~parameterFlag;
    const characters = node + headerLength + labelLength;
    const count = children >= parameterFlag ? literals + 1 : literals;
    let child = literals;
    if (code === colon) {
      const end = path.indexOf('/', at);
      at = end === -1 ? path.length : end;
    } else {
      child = 0;
      while (index.getUint8(characters + child) !== code) child++;
      at++;
    }
    node = childOffset(index, node, characters + literals, child, count);
  }
}
