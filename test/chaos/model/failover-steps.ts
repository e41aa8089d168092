// A new incarnation of the database. What was executed in the old one stays answered, but rows of `instances` may be
// gone or older, because members do not wait for the standby.
import { clearStatement } from './reset-world.ts';
import { FAILOVER, HISTORY_LOST, REGISTRATION_LOST } from './sightings.ts';
import { hasLease } from './violation.ts';
import { type Member, NO_ROW, SNAPSHOT_TAKEN, type Statement, type World } from './world.ts';

/** The rows whose bit is in `gone` are lost with all their changes; those in `older` lose their last change. */
export function failOver(world: World, gone: number, older: number): boolean {
  if (world.failoversLeft === 0) return false;
  world.failoversLeft -= 1;
  world.incarnation += 1;
  world.sighted |= FAILOVER;
  for (const member of world.members) {
    const bit = 1 << member.index;
    if ((gone & bit) !== 0) loseRow(world, member);
    else if ((older & bit) !== 0) member.row.number = member.row.before;
    abort(member.insert);
    for (const report of member.reports) abort(report);
  }
  return true;
}

/** Without a synchronous standby, the newest revision may be lost too. Its call can keep no promise any more. */
export function failOverWithLoss(world: World, gone: number, older: number): boolean {
  const parent = world.current.parent;
  if (world.lossesLeft === 0 || parent === undefined) return false;
  if (!failOver(world, gone, older)) return false;
  world.lossesLeft -= 1;
  world.recoverable = true;
  world.lost |= world.current.bit;
  world.current = parent;
  world.returned &= parent.history;
  world.sighted |= HISTORY_LOST;
  return true;
}

function loseRow(world: World, member: Member): void {
  if (member.row.number === NO_ROW) return;
  if (hasLease(world, member)) world.sighted |= REGISTRATION_LOST;
  member.row.number = NO_ROW;
  member.row.before = NO_ROW;
}

/** A statement that was not finished in the old database never will be. */
function abort(statement: Statement): void {
  if (statement.stage === SNAPSHOT_TAKEN) clearStatement(statement);
}
