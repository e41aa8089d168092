// Finds overlapping patterns of rules and routes. Two patterns overlap if at least one path matches both, and both include
// a common method. Segment by segment, a literal matches the same literal and a parameter, a parameter matches both, `*`
// matches one or more segments of any kind, and both patterns must end together. The search walks two tries in parallel,
// so it does not compare every pair.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { close, type PatternNode } from './pattern-trie.ts';
import { isGivenUp, takeStep, type WorkLimit } from './work-limit.ts';

/** Closes the patterns that overlap a pattern of the other trie. It yields, so that the process answers other requests. */
export async function closeOverlapping(
  open: PatternNode,
  other: PatternNode,
  workLimit: WorkLimit,
): Promise<void> {
  for (const _ of closeOverlaps(open, other, workLimit)) await nextTurn();
}

/** Yields regularly, so that the event loop is not blocked. */
function* closeOverlaps(open: PatternNode, other: PatternNode, workLimit: WorkLimit): Generator<void> {
  if (open.left === 0 || isGivenUp(workLimit)) return;
  if (takeStep(workLimit)) yield;
  close(open, 'openEnds', other.ends);
  close(open, 'openRests', other.below);
  if (other.rests !== 0) closeBelow(open, other.rests, workLimit);
  for (const [openChild, otherChild] of meetingChildren(open, other)) {
    yield* closeOverlaps(openChild, otherChild, workLimit);
    if (open.left === 0) return;
  }
}

function closeBelow(open: PatternNode, methodBits: number, workLimit: WorkLimit): void {
  close(open, 'openRests', methodBits);
  for (const child of childrenOf(open)) {
    if (child.left === 0) continue;
    workLimit.steps++;
    close(child, 'openEnds', methodBits);
    closeBelow(child, methodBits, workLimit);
  }
}

/** The pairs of children whose segments match. */
function* meetingChildren(open: PatternNode, other: PatternNode): Generator<[PatternNode, PatternNode]> {
  yield* equalLiterals(open, other);
  if (open.parameter !== undefined)
    for (const child of childrenOf(other)) {
      if (open.parameter.left === 0) break;
      yield [open.parameter, child];
    }
  if (other.parameter !== undefined)
    for (const child of open.literals?.values() ?? []) if (child.left > 0) yield [child, other.parameter];
}

function* equalLiterals(open: PatternNode, other: PatternNode): Generator<[PatternNode, PatternNode]> {
  if (open.literals === undefined || other.literals === undefined) return;
  const fewer = open.literals.size < other.literals.size ? open.literals : other.literals;
  for (const segment of fewer.keys()) {
    const [openChild, otherChild] = [open.literals.get(segment), other.literals.get(segment)];
    if (openChild !== undefined && otherChild !== undefined) yield [openChild, otherChild];
  }
}

function* childrenOf(node: PatternNode): Generator<PatternNode> {
  if (node.literals !== undefined) yield* node.literals.values();
  if (node.parameter !== undefined) yield node.parameter;
}
