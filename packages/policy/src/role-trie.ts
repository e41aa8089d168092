// Builds a radix trie of the paths of one role's rules. role-index.ts serializes it to bytes.
import { ruleBit } from './method.ts';
import type { Rule } from './parse-rule.ts';

/** A sequence of literal characters, and the branches that can follow it. */
export interface Branch {
  label: string;
  /** The methods of the rules that end here. */
  ends: number;
  /** The methods of the rules that have `*` here. */
  rests: number;
  literals: Branch[];
  parameter: Branch | undefined;
}

const star = 42;
const colon = 58;

/** The trie of some rules. Its root is after the "/" with which every path starts. */
export function buildRoleTrie(rules: Iterable<Rule>): Branch {
  const root = createBranch('');
  for (const { path, method } of rules) insert(root, path, ruleBit(method));
  return root;
}

function createBranch(label: string): Branch {
  return { label, ends: 0, rests: 0, literals: [], parameter: undefined };
}

// The name of a parameter is ignored: rules that differ only in parameter names share a branch.
function insert(root: Branch, path: string, bit: number): void {
  let branch = root;
  let at = 1;
  while (at < path.length) {
    const code = path.charCodeAt(at);
    if (code === star) {
      branch.rests |= bit;
      return;
    }
    if (code === colon) {
      branch.parameter ??= createBranch('');
      branch = branch.parameter;
      at = endOfSegment(path, at);
    } else {
      branch = enterLiteral(branch, path, at);
      at += branch.label.length;
    }
  }
  branch.ends |= bit;
}

function endOfSegment(path: string, at: number): number {
  const end = path.indexOf('/', at);
  return end === -1 ? path.length : end;
}

// Returns the child whose whole label the path has at `at`. It adds the child, or splits an existing one, if necessary.
function enterLiteral(branch: Branch, path: string, at: number): Branch {
  const code = path.charCodeAt(at);
  const child = branch.literals.find(({ label }) => label.charCodeAt(0) === code);
  if (child === undefined) {
    const added = createBranch(path.slice(at, endOfLiteral(path, at)));
    branch.literals.push(added);
    return added;
  }
  const shared = sharedLength(child.label, path, at);
  if (shared < child.label.length) cut(child, shared);
  return child;
}

function endOfLiteral(path: string, at: number): number {
  let end = at;
  while (end < path.length && path.charCodeAt(end) !== colon && path.charCodeAt(end) !== star) end++;
  return end;
}

// The first character is equal, because the child was found by it. After the end of either text, `charCodeAt` gives NaN,
// which equals nothing.
function sharedLength(label: string, path: string, at: number): number {
  let shared = 1;
  while (label.charCodeAt(shared) === path.charCodeAt(at + shared)) shared++;
  return shared;
}

// Splits a branch: it keeps the first `length` characters, and a new child gets the rest.
function cut(branch: Branch, length: number): void {
  const lower = { ...branch, label: branch.label.slice(length) };
  branch.label = branch.label.slice(0, length);
  branch.ends = 0;
  branch.rests = 0;
  branch.literals = [lower];
  branch.parameter = undefined;
}
