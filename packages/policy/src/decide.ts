// Decides: walks a role's index along the path and compares bytes. It never throws and never builds a regular
// expression, and its time is bounded by the length of the path and the limits of the grammar.
import { isCanonical, longestPath } from './canonical-path.ts';
import type { Snapshot } from './compile.ts';
import { requestMask } from './method.ts';
import { layout } from './role-index.ts';

/** The answer of the engine. Only the literal `allow` passes. */
export type Decision = 'allow' | 'deny';

/** What is asked: may this role call this path with this method. */
export interface AccessRequest {
  readonly roleKey: string;
  readonly method: string;
  readonly path: string;
}

const { headerLength, offsetLength, parameterFlag } = layout;
const slash = 47;

/**
 * Decides whether a rule of the role allows the method on the path. Everything unknown is denied: the role, the
 * method, a path that is not canonical. `admin` is a role like any other here.
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

// A literal is tried before a parameter, so the walk forks only where both can stand. The path is checked
// once, before the first thing that covers any character, and so before the first fork.
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
    let place = 0;
    while (place < literals && index.getUint8(characters + place) !== code) place++;

    if (children < parameterFlag) {
      if (place === literals) return false;
      next = childOffset(index, next, characters + literals, place, literals);
      at++;
    } else {
      canonical ||= isCanonical(path, at);
      if (!canonical) return false;
      if (place < literals) {
        const literal = childOffset(index, next, characters + literals, place, literals + 1);
        if (walk(index, literal, path, at + 1, mask, true)) return true;
      }
      next = childOffset(index, next, characters + literals, literals, literals + 1);
      const end = path.indexOf('/', at);
      at = end === -1 ? path.length : end;
    }
  }
}

function childOffset(
  index: DataView,
  node: number,
  offsets: number,
  place: number,
  children: number,
): number {
  if (place === 0) return offsets + (children - 1) * offsetLength;
  return node + index.getUint32(offsets + (place - 1) * offsetLength);
}
