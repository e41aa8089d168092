// Everything that exists in the model: the database, the members, the guards that they give leases to, the writers and
// real time. All of it is made once and written over for every schedule.

import { createRevisions, type Revision } from './revision.ts';
import type { Rules } from './rules.ts';

/** How much there is of each, and what one lease is in ticks of real time. */
export interface Size {
  readonly members: number;
  /** They have no row: members stand for them. */
  readonly guards: number;
  /** Reports of one member that may be under way together: one that was given up may still be executed. */
  readonly reports: number;
  readonly writers: number;
  readonly writes: number;
  readonly failovers: number;
  /** How many of the failovers may lose committed revisions. */
  readonly losses: number;
  readonly crashes: boolean;
  /** A member has one statement under way at a time. */
  readonly oneAtATime: boolean;
  /** One tick of a clock that runs true; clocks run at 99 to 101 hundredths of it where this is 100. */
  readonly trueRate: number;
  /** In units of `trueRate` per tick. */
  readonly wait: number;
  readonly shortWait: number;
  readonly lease: number;
  readonly leaseWithoutAllowance: number;
  /** The longest that a member gives to a guard, on the member's clock. */
  readonly grant: number;
}

export const OFF = 0;
export const WITHOUT_ROW = 1;
export const READY = 2;

/** How far a statement has come. */
export const IDLE = 0;
export const SENT = 1;
export const SNAPSHOT_TAKEN = 2;
export const EXECUTED = 3;

/** What a writer is at. */
export const RESTING = 0;
export const COMMITTED = 1;
export const WAITING = 2;

export const NEVER = -1_000_000;
export const NO_ROW = -1;

/** As many processes may die in one place before a writer removes the row of the first. */
const orphans = 2;

/** A statement that a member sends; each kind uses the fields that it needs. */
export interface Statement {
  stage: number;
  sentAt: number;
  /** What the member enforced when it sent. */
  carried: Revision;
  /** What was newest at the snapshot. */
  seen: Revision;
  /** Which row it saw, so that a row inserted later is not taken for it. */
  rowBirth: number;
  /** The incarnation of the database that took the snapshot. */
  seenIn: number;
  rowFound: boolean;
  /** The revisions that had been lost by the time of the snapshot. */
  lostBefore: number;
}

export interface Row {
  /** The acknowledged revision's number, or `NO_ROW`. */
  number: number;
  /** The same before its last change, which a failover may bring back. */
  before: number;
  birth: number;
}

export interface Member {
  readonly index: number;
  rate: number;
  phase: number;
  /** What the member believes to enforce. */
  enforced: Revision;
  /** What is in its memory in truth: one bit a revision. */
  content: number;
  leaseFrom: number;
  registered: boolean;
  readonly row: Row;
  /** The rows of processes that died in this place. */
  readonly orphans: readonly Row[];
  readonly insert: Statement;
  readonly reports: readonly Statement[];
  readonly fetch: Statement;
  /** The last report that was answered. */
  readonly earlier: Earlier;
  /** What each guard may go by, as far as this member gave it. */
  readonly grants: readonly Grant[];
  /** No guard that enforces less gets a lease: its member said that there is none. */
  floor: number;
}

/** What a member knows of the lease that it gave: the guard enforces this or more until then. */
export interface Grant {
  revision: Revision;
  endsAt: number;
}

/** A question for a lease, and its answer. */
export interface Question {
  stage: number;
  sentAt: number;
  carried: Revision;
  member: Member | undefined;
  /** For how long, on the member's clock. */
  given: number;
}

export interface Guard {
  readonly index: number;
  rate: number;
  isOn: boolean;
  enforced: Revision;
  content: number;
  leaseUntil: number;
  readonly questions: readonly Question[];
}

export interface Earlier {
  sentAt: number;
  seen: Revision;
  /** Of the row that it found; 0 where there was none. */
  rowBirth: number;
  seenIn: number;
}

export interface Writer {
  readonly index: number;
  rate: number;
  stage: number;
  revision: Revision;
  waitingFrom: number;
  /** 0 where it is not known yet. */
  incarnation: number;
}

export interface World {
  readonly rules: Rules;
  readonly size: Size;
  readonly lease: number;
  readonly wait: number;
  readonly origin: Revision;
  readonly members: readonly Member[];
  readonly guards: readonly Guard[];
  readonly writers: readonly Writer[];
  t: number;
  current: Revision;
  /** The next one to be written, until there are none left. */
  unwritten: Revision | undefined;
  incarnation: number;
  settledIn: number;
  births: number;
  failoversLeft: number;
  lossesLeft: number;
  recoverable: boolean;
  /** Bits of the revisions that a failover lost. */
  lost: number;
  /** Bits of the revisions whose call has returned. */
  returned: number;
  /** Bits of what this schedule has shown, see `sightings.ts`. */
  sighted: number;
  /** Why the schedule failed, or 0. */
  violation: number;
}

export function createWorld(rules: Rules, size: Size): World {
  const origin = createRevisions(size.writes + 1);
  return {
    rules,
    size,
    lease: rules.driftAllowance ? size.lease : size.leaseWithoutAllowance,
    wait: rules.fullWait ? size.wait : size.shortWait,
    origin,
    members: Array.from({ length: size.members }, (_, index) => createMember(index, size, origin)),
    guards: Array.from({ length: size.guards }, (_, index) => createGuard(index, size, origin)),
    writers: Array.from({ length: size.writers }, (_, index) => createWriter(index, size, origin)),
    t: 0,
    current: origin,
    unwritten: origin.next,
    incarnation: 1,
    settledIn: 1,
    births: 0,
    failoversLeft: size.failovers,
    lossesLeft: size.losses,
    recoverable: false,
    lost: 0,
    returned: 0,
    sighted: 0,
    violation: 0,
  };
}

function createMember(index: number, size: Size, origin: Revision): Member {
  return {
    index,
    rate: size.trueRate,
    phase: OFF,
    enforced: origin,
    content: origin.history,
    leaseFrom: NEVER,
    registered: false,
    row: { number: NO_ROW, before: NO_ROW, birth: 0 },
    orphans: Array.from({ length: orphans }, () => ({ number: NO_ROW, before: NO_ROW, birth: 0 })),
    insert: createStatement(origin),
    reports: Array.from({ length: size.reports }, () => createStatement(origin)),
    fetch: createStatement(origin),
    earlier: { sentAt: 0, seen: origin, rowBirth: 0, seenIn: 0 },
    grants: Array.from({ length: size.guards }, () => ({ revision: origin, endsAt: NEVER })),
    floor: NO_ROW,
  };
}

function createGuard(index: number, size: Size, origin: Revision): Guard {
  return {
    index,
    rate: size.trueRate,
    isOn: false,
    enforced: origin,
    content: origin.history,
    leaseUntil: NEVER,
    questions: Array.from({ length: size.reports }, () => ({
      stage: IDLE,
      sentAt: 0,
      carried: origin,
      member: undefined,
      given: 0,
    })),
  };
}

function createStatement(origin: Revision): Statement {
  return {
    stage: IDLE,
    sentAt: 0,
    carried: origin,
    seen: origin,
    rowBirth: 0,
    seenIn: 0,
    rowFound: false,
    lostBefore: 0,
  };
}

function createWriter(index: number, size: Size, origin: Revision): Writer {
  return { index, rate: size.trueRate, stage: RESTING, revision: origin, waitingFrom: 0, incarnation: 0 };
}
