// What a writer does, one moment a function. Each returns whether it was possible. The call returns at the moment of
// the look that lets it: any later return would be easier to keep.
import { placeAfter } from './revision.ts';
import { RECOVERED, RETURNED_BY_ACKNOWLEDGEMENTS, RETURNED_BY_WAITING, UNAVAILABLE } from './sightings.ts';
import { RETURNED_FOR_LOST_REVISION } from './violation.ts';
import { COMMITTED, NO_ROW, RESTING, type Row, WAITING, type World, type Writer } from './world.ts';

export function commitChange(world: World, writer: Writer): boolean {
  const revision = world.unwritten;
  if (writer.stage !== RESTING || revision === undefined) return false;
  placeAfter(revision, world.current, world.current.number + 1);
  world.unwritten = revision.next;
  world.current = revision;
  writer.stage = COMMITTED;
  writer.revision = revision;
  writer.incarnation = world.rules.incarnationFromCommit ? world.incarnation : 0;
  return true;
}

/** The writer hears of its commit. From here it measures, and here it notifies the members. */
export function hearOfCommit(world: World, writer: Writer): boolean {
  if (writer.stage !== COMMITTED) return false;
  writer.stage = WAITING;
  writer.waitingFrom = world.t;
  if (!world.rules.barrier) finish(world, writer);
  return true;
}

/** Looks at the rows once. */
export function pollRows(world: World, writer: Writer): boolean {
  if (writer.stage !== WAITING) return false;
  if (isElsewhere(world, writer)) giveUp(world, writer);
  else if (isSettled(world) && hasEveryAcknowledgement(world, writer.revision.number)) {
    world.sighted |= RETURNED_BY_ACKNOWLEDGEMENTS;
    finish(world, writer);
  }
  return true;
}

/** One lease has passed on the writer's clock: in one transaction, it deletes who is behind and settles. */
export function endWait(world: World, writer: Writer): boolean {
  if (writer.stage !== WAITING) return false;
  if ((world.t - writer.waitingFrom) * writer.rate < world.wait) return false;
  if (isElsewhere(world, writer)) {
    giveUp(world, writer);
    return true;
  }
  for (const member of world.members) {
    deleteBehind(member.row, writer.revision.number);
    for (const orphan of member.orphans) deleteBehind(orphan, writer.revision.number);
  }
  world.settledIn = world.incarnation;
  world.sighted |= RETURNED_BY_WAITING;
  finish(world, writer);
  return true;
}

/** An operator accepts a loss: a new mark, a number far above all that were used, and everything is loaded anew. */
export function recover(world: World): boolean {
  const revision = world.unwritten;
  if (!world.recoverable || revision === undefined) return false;
  placeAfter(revision, world.current, world.current.number + 1000);
  revision.recoveredAt = revision.number;
  world.unwritten = revision.next;
  world.current = revision;
  world.recoverable = false;
  world.sighted |= RECOVERED;
  return true;
}

function isElsewhere(world: World, writer: Writer): boolean {
  if (!world.rules.failoverNoticed) return false;
  if (writer.incarnation === 0) writer.incarnation = world.incarnation;
  return writer.incarnation !== world.incarnation;
}

function isSettled(world: World): boolean {
  return world.settledIn === world.incarnation || !world.rules.settling;
}

function hasEveryAcknowledgement(world: World, number: number): boolean {
  for (const { row, orphans } of world.members) {
    if (isBehind(row, number)) return false;
    for (const orphan of orphans) if (isBehind(orphan, number)) return false;
  }
  return true;
}

function isBehind(row: Row, number: number): boolean {
  return row.number !== NO_ROW && row.number < number;
}

function deleteBehind(row: Row, number: number): void {
  if (!isBehind(row, number)) return;
  row.before = row.number;
  row.number = NO_ROW;
}

function giveUp(world: World, writer: Writer): void {
  writer.stage = RESTING;
  world.sighted |= UNAVAILABLE;
}

function finish(world: World, writer: Writer): void {
  writer.stage = RESTING;
  if ((world.current.history & writer.revision.bit) === 0) world.violation = RETURNED_FOR_LOST_REVISION;
  world.returned |= writer.revision.bit;
}
