// Decides which patterns overlap. Two do when at least one path fits both and one method is meant by both: segment by
// segment, a literal meets the same literal and a parameter, a parameter meets both, `*` meets one or more segments of
// whatever kind, and both end together. Two tries are walked at once, so that not every pair is compared.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { close, type PatternNode } from './pattern-trie.ts';
import { isGivenUp, takeStep, type WorkLimit } from './work-limit.ts';

/** Closes what overlaps a pattern of the other trie, while other requests are answered. */
export async function walk(open: PatternNode, other: PatternNode, effort: WorkLimit): Promise<void> {
  for (const _ of closeOverlaps(open, other, effort)) await nextTurn();
}

/** Yields now and then, for whoever must not be kept waiting. */
function* closeOverlaps(open: PatternNode, other: PatternNode, effort: WorkLimit): Generator<void> {
  if (open.left === 0 || isGivenUp(effort)) return;
  if (takeStep(effort)) yield;
  close(open, 'openEnds', other.ends);
  close(open, 'openRests', other.below);
  if (other.rests !== 0) closeBelow(open, other.rests, effort);
  for (const [openChild, otherChild] of meetingChildren(open, other)) {
    yield* closeOverlaps(openChild, otherChild, effort);
    if (open.left === 0) return;
  }
}

function closeBelow(open: PatternNode, methodBits: number, effort: WorkLimit): void {
  close(open, 'openRests', methodBits);
  for (const child of childrenOf(open)) {
    if (child.left === 0) continue;
    effort.steps++;
    close(child, 'openEnds', methodBits);
    closeBelow(child, methodBits, effort);
  }
}

/** The pairs of children whose segments meet. */
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
