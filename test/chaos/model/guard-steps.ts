// What a guard does, and what a member does for it, one moment a function. Each returns whether it was possible. A guard
// may ask any member, with every question another one.
import { clearGuard } from './reset-world.ts';
import { GRANT_BELOW_FLOOR, GRANT_CAPPED, GRANT_OF_LOST_REFUSED } from './sightings.ts';
import { EXECUTED, type Guard, IDLE, type Member, OFF, type Question, SENT, type World } from './world.ts';

/** Loads everything that a member has in memory, at this moment. */
export function startGuard(guard: Guard, member: Member): boolean {
  if (guard.isOn || member.phase === OFF) return false;
  guard.isOn = true;
  guard.enforced = member.enforced;
  guard.content = member.content;
  return true;
}

/** The next process in this place knows nothing; what was given to this one stays noted. */
export function crashGuard(world: World, guard: Guard): boolean {
  if (!guard.isOn) return false;
  clearGuard(world, guard);
  return true;
}

/** Takes over what is newer in a member's memory, where that follows on its own. */
export function fetchFrom(guard: Guard, member: Member): boolean {
  if (!guard.isOn || member.phase === OFF || member.enforced.number <= guard.enforced.number) return false;
  const { enforced } = member;
  const isKnown = (enforced.history & guard.enforced.bit) !== 0;
  if (!isKnown && enforced.recoveredAt <= guard.enforced.number) return false;
  guard.enforced = enforced;
  guard.content = member.content;
  return true;
}

export function ask(world: World, guard: Guard, question: Question, member: Member): boolean {
  if (!guard.isOn || member.phase === OFF || question.stage !== IDLE) return false;
  question.stage = SENT;
  question.sentAt = world.t;
  question.carried = guard.enforced;
  question.member = member;
  return true;
}

export function grant(world: World, guard: Guard, question: Question): boolean {
  const { member, carried } = question;
  if (question.stage !== SENT || member === undefined || member.phase === OFF) return false;
  const { rules, size } = world;
  if (rules.grantAboveFloor && carried.number < member.floor) {
    world.sighted |= GRANT_BELOW_FLOOR;
    return refuse(question);
  }
  if (rules.grantOfKnown && (member.enforced.history & carried.bit) === 0) {
    world.sighted |= GRANT_OF_LOST_REFUSED;
    return refuse(question);
  }
  const left = world.lease - (world.t - member.leaseFrom) * member.rate;
  // Without a separate lease it gives nothing, whatever the rules.
  if (left <= 0) return refuse(question);
  if (left < size.grant) world.sighted |= GRANT_CAPPED;
  question.given = rules.grantCapped ? Math.min(size.grant, left) : size.grant;
  question.stage = EXECUTED;
  if (rules.grantNotedFirst) note(world, guard, question, member);
  return true;
}

function refuse(question: Question): boolean {
  question.stage = IDLE;
  return true;
}

/** One that was overtaken neither lowers nor shortens what is noted. */
function note(world: World, guard: Guard, { carried, given }: Question, member: Member): void {
  const noted = member.grants[guard.index];
  if (noted === undefined) return;
  const isOver = noted.endsAt <= world.t;
  if (isOver || carried.number > noted.revision.number) noted.revision = carried;
  noted.endsAt = Math.max(noted.endsAt, world.t + given / member.rate);
}

export function hearGrant(world: World, guard: Guard, question: Question): boolean {
  const { stage, sentAt, given, member } = question;
  if (stage !== EXECUTED) return false;
  question.stage = IDLE;
  const { rules } = world;
  const used = rules.guardDriftAllowance ? given * 0.98 : given;
  const from = rules.guardLeaseFromSend ? sentAt : world.t;
  guard.leaseUntil = Math.max(guard.leaseUntil, from + used / guard.rate);
  // Told by the guard, after it goes by it.
  if (!rules.grantNotedFirst && member !== undefined) question.stage = TOLD;
  return true;
}

/** Only where a rule is broken. */
const TOLD = 100;

export function noteLate(world: World, guard: Guard, question: Question): boolean {
  if (question.stage !== TOLD || question.member === undefined) return false;
  note(world, guard, question, question.member);
  question.stage = IDLE;
  return true;
}

export function loseQuestion(question: Question): boolean {
  if (question.stage === IDLE) return false;
  question.stage = IDLE;
  return true;
}

/** Whatever is noted stays. */
export function closeConnection(world: World, guard: Guard, member: Member): boolean {
  const noted = member.grants[guard.index];
  if (noted === undefined || noted.endsAt <= world.t) return false;
  if (!world.rules.grantOutlivesConnection) noted.endsAt = world.t;
  return true;
}
