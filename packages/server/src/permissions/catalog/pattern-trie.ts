// Trie of the patterns of rules and routes, by path segments. A pattern is a method and a path; names of parameters are
// ignored. A pattern is closed after it has matched a pattern of another trie, and open until then.
import { methods } from '@portcullis/policy';

export interface PatternNode {
  readonly parent: PatternNode | undefined;
  literals: Map<string, PatternNode> | undefined;
  parameter: PatternNode | undefined;
  /** The methods of the patterns that end here, one bit each. */
  ends: number;
  /** The methods of the patterns that have `*` after this segment. */
  rests: number;
  /** The methods of all patterns that continue after this segment. */
  below: number;
  openEnds: number;
  openRests: number;
  /** The number of open patterns in this node and below. */
  left: number;
}

/** The position of a pattern in the trie. Patterns with the same position are open or closed together. */
export interface Place {
  readonly node: PatternNode;
  readonly at: 'openEnds' | 'openRests';
  readonly bit: number;
}

const anyMethodBit = 1 << methods.length;
const bits: ReadonlyMap<string, number> = new Map(methods.map((method, index) => [method, 1 << index]));

export function createPatternTrie(): PatternNode {
  return createNode(undefined);
}

/** Inserts a pattern, which must be valid in the grammar of rules. */
export function insertPattern(root: PatternNode, { method, path }: { method: string; path: string }): Place {
  const bit = bits.get(method) ?? anyMethodBit;
  const segments = path === '/' ? [] : path.slice(1).split('/');
  const isRest = segments.at(-1) === '*';
  let node = root;
  for (const segment of isRest ? segments.slice(0, -1) : segments) {
    node.below |= bit;
    node = enter(node, segment);
  }
  return isRest ? addRest(node, bit) : addEnd(node, bit);
}

export function isOpen({ node, at, bit }: Place): boolean {
  return (node[at] & bit) !== 0;
}

/** Closes the patterns that include one of the methods: the patterns for that method and the patterns for all methods. */
export function close(node: PatternNode, at: Place['at'], methodBits: number): void {
  const closed = node[at] & meetingBits(methodBits);
  if (closed === 0) return;
  node[at] &= ~closed;
  changeLeft(node, -countBits(closed));
}

/** The bits of the patterns that have a method in common with `methodBits`. */
function meetingBits(methodBits: number): number {
  if (methodBits === 0) return 0;
  return (methodBits & anyMethodBit) === 0 ? methodBits | anyMethodBit : -1;
}

function createNode(parent: PatternNode | undefined): PatternNode {
  return {
    parent,
    literals: undefined,
    parameter: undefined,
    ends: 0,
    rests: 0,
    below: 0,
    openEnds: 0,
    openRests: 0,
    left: 0,
  };
}

function enter(node: PatternNode, segment: string): PatternNode {
  if (segment.startsWith(':')) {
    node.parameter ??= createNode(node);
    return node.parameter;
  }
  node.literals ??= new Map();
  const known = node.literals.get(segment);
  if (known !== undefined) return known;
  const added = createNode(node);
  node.literals.set(segment, added);
  return added;
}

function addEnd(node: PatternNode, bit: number): Place {
  if ((node.ends & bit) === 0) changeLeft(node, 1);
  node.ends |= bit;
  node.openEnds |= bit;
  return { node, at: 'openEnds', bit };
}

function addRest(node: PatternNode, bit: number): Place {
  if ((node.rests & bit) === 0) changeLeft(node, 1);
  node.rests |= bit;
  node.openRests |= bit;
  node.below |= bit;
  return { node, at: 'openRests', bit };
}

function changeLeft(node: PatternNode, by: number): void {
  for (let next: PatternNode | undefined = node; next !== undefined; next = next.parent) next.left += by;
}

function countBits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
