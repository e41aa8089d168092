// What a member does, one moment a function. Each returns whether it was possible. Between any two of them any time
// may pass, which stands for pauses, delays and partitions alike.

import { clearMemory, clearStatement, forgetRow } from './reset-world.ts';
import { contentAfterChanges, type Revision } from './revision.ts';
import {
  CHANGES_ENFORCED,
  CRASH,
  GRANT_OUTLIVED_MEMBER,
  LOST_REVISION_REFUSED,
  REGISTERED_AGAIN,
  REPORT_OVERTAKEN,
  ROW_HELD_BACK,
} from './sightings.ts';
import { hasLease, RENEWED_ON_LOST_REVISION } from './violation.ts';
import {
  type Earlier,
  EXECUTED,
  IDLE,
  type Member,
  NO_ROW,
  OFF,
  READY,
  type Row,
  SENT,
  SNAPSHOT_TAKEN,
  type Statement,
  WITHOUT_ROW,
  type World,
} from './world.ts';

/** Loads everything, at this moment's snapshot. */
export function startMember(world: World, member: Member): boolean {
  if (member.phase !== OFF) return false;
  member.phase = WITHOUT_ROW;
  member.enforced = world.current;
  member.content = world.current.history;
  return true;
}

/** The next process in this place has a separate row. */
export function crashMember(world: World, member: Member): boolean {
  if (member.phase === OFF || !world.size.crashes) return false;
  const orphan = member.orphans.find(({ number }) => number === NO_ROW);
  if (orphan === undefined) return false;
  for (const { endsAt } of member.grants) if (endsAt > world.t) world.sighted |= GRANT_OUTLIVED_MEMBER;
  clearMemory(world, member);
  if (member.row.number !== NO_ROW) {
    orphan.number = member.row.number;
    world.sighted |= CRASH;
  }
  forgetRow(member.row);
  member.registered = false;
  return true;
}

export function sendInsert(world: World, member: Member): boolean {
  if (member.phase !== WITHOUT_ROW || !maySend(world, member, member.insert)) return false;
  send(world, member.insert, leastEnforced(world, member));
  return true;
}

export function takeInsertSnapshot(world: World, member: Member): boolean {
  return takeSnapshot(world, member, member.insert);
}

export function commitInsert(world: World, member: Member): boolean {
  const { insert, row } = member;
  if (insert.stage !== SNAPSHOT_TAKEN) return false;
  insert.stage = EXECUTED;
  if (row.number === NO_ROW) {
    world.births += 1;
    row.birth = world.births;
    writeRow(row, insert.carried.number);
  } else if (row.number < insert.carried.number) writeRow(row, insert.carried.number);
  if (member.registered) world.sighted |= REGISTERED_AGAIN;
  member.registered = true;
  return true;
}

export function answerInsert(world: World, member: Member): boolean {
  const { insert } = member;
  if (insert.stage !== EXECUTED) return false;
  if (!world.rules.registrationGrantsNothing && insert.seen === insert.carried) renew(world, member, insert);
  clearStatement(insert);
  member.phase = READY;
  return true;
}

export function sendReport(world: World, member: Member, report: Statement): boolean {
  if (member.phase !== READY || !maySend(world, member, report)) return false;
  send(world, report, leastEnforced(world, member));
  if (world.rules.floorAtSend) raiseFloor(member, report);
  return true;
}

export function takeReportSnapshot(world: World, member: Member, report: Statement): boolean {
  return takeSnapshot(world, member, report);
}

/** The row's change may come later than the snapshot: the statement may have waited for the row's lock. */
export function applyReport(world: World, member: Member, report: Statement): boolean {
  if (report.stage !== SNAPSHOT_TAKEN) return false;
  report.stage = EXECUTED;
  const { row } = member;
  report.rowFound = row.number !== NO_ROW && row.birth === report.rowBirth;
  if (!report.rowFound) return true;
  if (report.carried.number > row.number) writeRow(row, report.carried.number);
  else if (report.carried.number < row.number) {
    world.sighted |= REPORT_OVERTAKEN;
    if (!world.rules.acknowledgementKept) writeRow(row, report.carried.number);
  }
  return true;
}

export function answerReport(world: World, member: Member, report: Statement): boolean {
  if (report.stage !== EXECUTED) return false;
  raiseFloor(member, report);
  if (mayCountEarlier(world, member, report)) renew(world, member, report, member.earlier.sentAt);
  if (mayRenew(world, member, report)) renew(world, member, report);
  else if ((member.content & report.lostBefore) !== 0) world.sighted |= LOST_REVISION_REFUSED;
  if (!report.rowFound && member.phase === READY) member.phase = WITHOUT_ROW;
  rememberReport(member.earlier, report);
  clearStatement(report);
  return true;
}

function raiseFloor(member: Member, { carried }: Statement): void {
  member.floor = Math.max(member.floor, carried.number);
}

/** Of the member and of the guards that may still go by what it gave them. */
function leastEnforced(world: World, { enforced, grants }: Member): Revision {
  let least = enforced;
  if (!world.rules.rowCoversGuards) return least;
  for (const { revision, endsAt } of grants)
    if (endsAt > world.t && revision.number < least.number) least = revision;
  if (least !== enforced) world.sighted |= ROW_HELD_BACK;
  return least;
}

/** The row now says what the report before found. Without this a member that is always a little late has no lease. */
function mayCountEarlier({ rules }: World, { earlier, enforced }: Member, report: Statement): boolean {
  if (!report.rowFound || earlier.rowBirth === 0) return false;
  if (rules.earlierOfSameRow && earlier.rowBirth !== report.rowBirth) return false;
  if (rules.earlierOfSameIncarnation && earlier.seenIn !== report.seenIn) return false;
  const isReported = (report.carried.history & earlier.seen.bit) !== 0;
  const isKept = (report.seen.history & enforced.bit) !== 0;
  return isReported && isKept;
}

function rememberReport(earlier: Earlier, report: Statement): void {
  if (!report.rowFound) return;
  earlier.sentAt = report.sentAt;
  earlier.seen = report.seen;
  earlier.rowBirth = report.rowBirth;
  earlier.seenIn = report.seenIn;
}

function mayRenew(world: World, member: Member, report: Statement): boolean {
  const { rules } = world;
  if (!report.rowFound && rules.rowNeeded) return false;
  if (!rules.enforcedBeforeRenewal) return true;
  if (rules.comparedAsSent && !isSame(world, report.carried, report.seen)) return false;
  return !rules.comparedAtReceipt || isSame(world, member.enforced, report.seen);
}

function isSame(world: World, one: Revision, other: Revision): boolean {
  return world.rules.markCompared ? one === other : one.number === other.number;
}

function renew(world: World, member: Member, statement: Statement, sentAt = statement.sentAt): void {
  const from = world.rules.leaseFromSend ? sentAt : world.t;
  if (from > member.leaseFrom) member.leaseFrom = from;
  if ((member.content & statement.lostBefore) !== 0 && hasLease(world, member))
    world.violation = RENEWED_ON_LOST_REVISION;
}

export function sendFetch(world: World, member: Member): boolean {
  if (member.phase === OFF || !maySend(world, member, member.fetch)) return false;
  // Without anything new, nothing would come of it.
  if (member.enforced === world.current && world.size.oneAtATime) return false;
  send(world, member.fetch, member.enforced);
  return true;
}

export function executeFetch(world: World, member: Member): boolean {
  if (!takeSnapshot(world, member, member.fetch)) return false;
  member.fetch.stage = EXECUTED;
  return true;
}

/** Enforces what was fetched, unless the member's own state is not in its history. */
export function answerFetch(world: World, member: Member): boolean {
  const { fetch } = member;
  if (fetch.stage !== EXECUTED) return false;
  if (fetch.carried === member.enforced) enforce(world, member, fetch.seen);
  clearStatement(fetch);
  return true;
}

function enforce(world: World, member: Member, newest: Revision): void {
  if (newest.number <= member.enforced.number) return;
  const known = (newest.history & member.enforced.bit) !== 0;
  if (known || newest.recoveredAt > member.enforced.number) member.content = newest.history;
  else if (world.rules.markFetched) return;
  else member.content = contentAfterChanges(member.content, member.enforced.number, newest);
  member.enforced = newest;
  world.sighted |= CHANGES_ENFORCED;
}

/** The statement or its answer never arrives. */
export function loseStatement(statement: Statement): boolean {
  if (statement.stage === IDLE) return false;
  clearStatement(statement);
  return true;
}

function maySend(world: World, member: Member, statement: Statement): boolean {
  if (!world.size.oneAtATime) return statement.stage === IDLE;
  if (member.insert.stage !== IDLE || member.fetch.stage !== IDLE) return false;
  for (const report of member.reports) if (report.stage !== IDLE) return false;
  return true;
}

function send(world: World, statement: Statement, carried: Revision): void {
  statement.stage = SENT;
  statement.sentAt = world.t;
  statement.carried = carried;
}

function takeSnapshot(world: World, member: Member, statement: Statement): boolean {
  if (statement.stage !== SENT) return false;
  statement.stage = SNAPSHOT_TAKEN;
  statement.seen = world.current;
  statement.seenIn = world.incarnation;
  statement.rowBirth = member.row.number === NO_ROW ? 0 : member.row.birth;
  statement.lostBefore = world.lost;
  return true;
}

function writeRow(row: Row, number: number): void {
  row.before = row.number;
  row.number = number;
}
