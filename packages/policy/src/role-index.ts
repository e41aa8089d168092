// Serializes the trie of one role's rules to bytes, which `decide` walks. It uses bytes instead of objects, because with
// 100,000 rules cache misses determine the cost of a decision.
import type { Rule } from './parse-rule.ts';
import { type Branch, buildRoleTrie } from './role-trie.ts';

/**
 * The bytes of a node: the length of its label, the methods of the rules that end here, the methods of the rules
 * with `*` here, the number of literal children (plus `parameterFlag` if a parameter is possible here), the label,
 * the first character of each literal child, and for each child except the first its distance from this node.
 * The first child follows directly; the parameter is the last. A literal child's label omits the character that its
 * parent holds. The limits of the grammar ensure that every length fits in its byte.
 */
export const layout = { headerLength: 4, offsetLength: 4, parameterFlag: 128 } as const;

/** Builds the index of one role's rules. Rules that differ only in the names of parameters become one entry. */
export function buildRoleIndex(rules: Iterable<Rule>): Uint8Array {
  const bytes: number[] = [];
  const offsets: Offset[] = [];
  write(bytes, offsets, buildRoleTrie(rules), 0);
  const index = Uint8Array.from(bytes);
  const view = new DataView(index.buffer);
  for (const { at, distance } of offsets) view.setUint32(at, distance);
  return index;
}

const unset: readonly number[] = Array.from(new Uint8Array(layout.offsetLength));

interface Offset {
  readonly at: number;
  readonly distance: number;
}

function write(bytes: number[], offsets: Offset[], branch: Branch, labelStart: number): void {
  const { label, ends, rests, literals, parameter } = branch;
  const node = bytes.length;
  const flag = parameter === undefined ? 0 : layout.parameterFlag;
  bytes.push(label.length - labelStart, ends, rests, literals.length | flag);
  for (let i = labelStart; i < label.length; i++) bytes.push(label.charCodeAt(i));
  for (const child of literals) bytes.push(child.label.charCodeAt(0));

  const [first, ...others] = parameter === undefined ? literals : [...literals, parameter];
  const table = bytes.length;
  for (const _ of others) bytes.push(...unset);
  if (first !== undefined) write(bytes, offsets, first, first === parameter ? 0 : 1);
  for (const [index, child] of others.entries()) {
    offsets.push({ at: table + index * layout.offsetLength, distance: bytes.length - node });
    write(bytes, offsets, child, child === parameter ? 0 : 1);
  }
}
