// The steps of one member, with their words.
import { type Action, addChain, createAction } from './action.ts';
import {
  answerFetch,
  answerInsert,
  answerReport,
  applyReport,
  commitInsert,
  crashMember,
  executeFetch,
  loseStatement,
  sendFetch,
  sendInsert,
  sendReport,
  startMember,
  takeInsertSnapshot,
  takeReportSnapshot,
} from './member-steps.ts';
import { tellEnforced, tellLease, tellReport, tellRow, tellSeen } from './tell.ts';
import type { Member, Statement, World } from './world.ts';

/** Adds them all and returns those with which a member begins, and with which it reports. */
export function addMember(all: Action[], world: World, member: Member): { start: Action; report: Action } {
  const name = `member ${member.index + 1}`;
  const start = createAction(
    8,
    () => startMember(world, member),
    () => `${name} starts and loads ${tellEnforced(member)}`,
  );
  const crash = createAction(
    2,
    () => crashMember(world, member),
    () => `${name} dies; its row stays`,
  );
  all.push(start, crash);
  const [report] = member.reports.map((report, index) => addReport(all, world, member, report, index));
  if (report === undefined) throw new Error('A member reports.');
  start.next = addInsert(all, world, member, report);
  addFetch(all, world, member, report);
  return { start, report };
}

function addInsert(all: Action[], world: World, member: Member, next: Action | undefined): Action {
  const name = `member ${member.index + 1}`;
  const { insert } = member;
  const send = createAction(
    12,
    () => sendInsert(world, member),
    () => `${name} sends the insert of its row`,
  );
  const snapshot = createAction(
    16,
    () => takeInsertSnapshot(world, member),
    () => `  its snapshot is taken: ${tellSeen(insert)}`,
  );
  const commit = createAction(
    16,
    () => commitInsert(world, member),
    () => `  it is committed: ${tellRow(member)}`,
  );
  const answer = createAction(
    16,
    () => answerInsert(world, member),
    () => `${name} learns that it has a row: ${tellLease(world, member)}`,
  );
  // Only where the insert grants a lease does it matter when it was sent and what it saw.
  for (const step of [send, snapshot, commit]) step.mergeable = world.rules.registrationGrantsNothing;
  addChain(all, [send, snapshot, commit, answer]);
  answer.next = next;
  all.push(
    createAction(
      4,
      () => loseStatement(insert),
      () => `${name} hears nothing of its insert`,
    ),
  );
  return send;
}

function addReport(all: Action[], world: World, member: Member, report: Statement, index: number): Action {
  const name = `member ${member.index + 1}`;
  const which = index === 0 ? 'a report' : 'another report';
  const send = createAction(
    12,
    () => sendReport(world, member, report),
    () => `${name} sends ${which} that it enforces ${tellEnforced(member)}`,
  );
  const snapshot = createAction(
    16,
    () => takeReportSnapshot(world, member, report),
    () => `  its snapshot is taken: ${tellSeen(report)}`,
  );
  const apply = createAction(
    16,
    () => applyReport(world, member, report),
    () => `  it is executed: ${tellReport(member, report)}`,
  );
  const answer = createAction(
    16,
    () => answerReport(world, member, report),
    () => `${name} has the answer to ${which}: ${tellLease(world, member)}`,
  );
  addChain(all, [send, snapshot, apply, answer]);
  all.push(
    createAction(
      4,
      () => loseStatement(report),
      () => `${name} hears nothing of ${which}`,
    ),
  );
  return send;
}

function addFetch(all: Action[], world: World, member: Member, next: Action | undefined): void {
  const name = `member ${member.index + 1}`;
  const { fetch } = member;
  const send = createAction(
    12,
    () => sendFetch(world, member),
    () => `${name} asks for the changes after ${tellEnforced(member)}`,
  );
  const execute = createAction(
    16,
    () => executeFetch(world, member),
    () => `  its snapshot is taken: ${tellSeen(fetch)}`,
  );
  const answer = createAction(
    16,
    () => answerFetch(world, member),
    () => `${name} has the answer and enforces ${tellEnforced(member)}`,
  );
  // With one statement at a time, sending late is as good as travelling long.
  send.mergeable = world.size.oneAtATime;
  addChain(all, [send, execute, answer]);
  answer.next = next;
  all.push(
    createAction(
      4,
      () => loseStatement(fetch),
      () => `${name} hears nothing of the changes`,
    ),
  );
}
