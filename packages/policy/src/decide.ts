// The policy decision: matches the rules of a role on path and method. It walks the role's index along the path and compares
// bytes. It never throws and never builds a regular expression, and its time is bounded by the length of the path and the limits
// of the grammar.
import { isCanonical, longestPath } from './canonical-path.ts';
import type { Snapshot } from './compile.ts';
import { requestMask } from './method.ts';
import { layout } from './role-index.ts';

/** The answer of the engine. Only the literal `allow` permits a request. */
export type Decision = 'allow' | 'deny';

/** The question for the engine: is this role allowed to call this path with this method? */
export interface AccessRequest {
  readonly roleKey: string;
  readonly method: string;
  readonly path: string;
}

const { headerLength, offsetLength, parameterFlag } = layout;
const slash = 47;

/**
 * Decides whether a rule of the role allows the method on the path. It denies an unknown role, an unknown method and a
 * path that is not canonical. It treats `admin` like any other role.
 *
 * @example
 * if (decide(snapshot, 'editor', 'GET', '/articles/7') !== 'allow') refuse();
 */
export function decide(snapshot: Snapshot, roleKey: string, method: string, path: string): Decision {
  const { block, starts } = snapshot.packed;
  const start = starts.get(roleKey);
  if (start === undefined || path.charCodeAt(0) !== slash || path.length > longestPath) return 'deny';
  return walk(block, start, path, 1, requestMask(method), false) ? 'allow' : 'deny';
}

/** Decides many requests on one snapshot, in their order. */
export function decideMany(snapshot: Snapshot, requests: Iterable<AccessRequest>): Decision[] {
  return Array.from(requests, ({ roleKey, method, path }) => decide(snapshot, roleKey, method, path));
}

// The walk tries a literal before a parameter, and branches only where the trie has both. It checks the path once, before
// the first parameter or `*`, and so before the first branch.
function walk(
  index: DataView,
  node: number,
  path: string,
  from: number,
  mask: number,
  checked: boolean,
): boolean {
  let at = from;
  let canonical = checked;
  for (let next = node; ; ) {
    const header = index.getUint32(next);
    const labelLength = header >>> 24;
    const label = next + headerLength;
    if (at + labelLength > path.length) return false;
    for (let i = 0; i < labelLength; i++) {
      if (index.getUint8(label + i) !== path.charCodeAt(at + i)) return false;
    }
    at += labelLength;
    if (at === path.length) return ((header >>> 16) & mask) !== 0;
    if (((header >>> 8) & mask) !== 0) return canonical || isCanonical(path, at);

    const children = header & 255;
    const literals = children & ~parameterFlag;
    const characters = label + labelLength;
    const code = path.charCodeAt(at);
    let child = 0;
    while (child < literals && index.getUint8(characters + child) !== code) child++;

    if (children < parameterFlag) {
      if (child === literals) return false;
      next = childOffset(index, next, characters + literals, child, literals);
      at++;
    } else {
      canonical ||= isCanonical(path, at);
      if (!canonical) return false;
      if (child < literals) {
        const literal = childOffset(index, next, characters + literals, child, literals + 1);
        if (walk(index, literal, path, at + 1, mask, true)) return true;
      }
      next = childOffset(index, next, characters + literals, literals, literals + 1);
      const end = path.indexOf('/', at);
      at = end === -1 ? path.length : end;
    }
  }
}

/** The offset of a child of the node. The first child follows its parent; the parameter is the last child. */
export function childOffset(
  index: DataView,
  node: number,
  offsets: number,
  child: number,
  children: number,
): number {
  if (child === 0) return offsets + (children - 1) * offsetLength;
  return node + index.getUint32(offsets + (child - 1) * offsetLength);
}
