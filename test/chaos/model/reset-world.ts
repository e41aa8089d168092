// Puts a world back to its beginning: one revision, no member, nothing under way, all clocks true.
import {
  type Guard,
  IDLE,
  type Member,
  NEVER,
  NO_ROW,
  OFF,
  RESTING,
  type Row,
  type Statement,
  type World,
} from './world.ts';

export function resetWorld(world: World): void {
  world.t = 0;
  world.current = world.origin;
  world.unwritten = world.origin.next;
  world.incarnation = 1;
  world.settledIn = 1;
  world.births = 0;
  world.failoversLeft = world.size.failovers;
  world.lossesLeft = world.size.losses;
  world.recoverable = false;
  world.lost = 0;
  world.returned = 0;
  world.sighted = 0;
  world.violation = 0;
  for (const member of world.members) {
    member.rate = world.size.trueRate;
    member.registered = false;
    forgetRow(member.row);
    for (const orphan of member.orphans) forgetRow(orphan);
    clearMemory(world, member);
  }
  for (const guard of world.guards) {
    guard.rate = world.size.trueRate;
    clearGuard(world, guard);
  }
  for (const writer of world.writers) {
    writer.rate = world.size.trueRate;
    writer.stage = RESTING;
    writer.revision = world.origin;
    writer.waitingFrom = 0;
    writer.incarnation = 0;
  }
}

/** What a process loses when it dies. Its row stays. */
export function clearMemory(world: World, member: Member): void {
  member.phase = OFF;
  member.enforced = world.origin;
  member.content = world.origin.history;
  member.leaseFrom = NEVER;
  clearStatement(member.insert);
  clearStatement(member.fetch);
  member.earlier.rowBirth = 0;
  for (const report of member.reports) clearStatement(report);
  for (const grant of member.grants) grant.endsAt = NEVER;
  member.floor = NO_ROW;
}

export function clearGuard(world: World, guard: Guard): void {
  guard.isOn = false;
  guard.enforced = world.origin;
  guard.content = world.origin.history;
  guard.leaseUntil = NEVER;
  for (const question of guard.questions) question.stage = IDLE;
}

export function clearStatement(statement: Statement): void {
  statement.stage = IDLE;
  statement.rowFound = false;
}

export function forgetRow(row: Row): void {
  row.number = NO_ROW;
  row.before = NO_ROW;
  row.birth = 0;
}
