// Writes a world as bytes, so that two worlds are equal exactly where they can do the same from now on: moments become
// ages, and what no step will read any more becomes zero. For worlds that lose no revision and in which no member dies.
import { resetWorld } from './reset-world.ts';
import type { Revision } from './revision.ts';
import {
  EXECUTED,
  IDLE,
  type Member,
  OFF,
  RESTING,
  SENT,
  type Statement,
  WAITING,
  type World,
  type Writer,
} from './world.ts';

/** The moment at which an unpacked world stands. */
const NOW = 100;
const INCARNATION = 2;

export interface Packer {
  readonly length: number;
  pack(bytes: Uint8Array): void;
  unpack(bytes: Uint8Array, offset: number): void;
}

export function createPacker(world: World): Packer {
  if (world.size.losses > 0 || world.size.crashes) throw new Error('Losses and crashes cannot be packed.');
  const { rules } = world;
  const revisions = listRevisions(world.origin);
  /** From this age on, neither a lease nor a wait changes any more. */
  const old = Math.max(world.lease, world.wait);
  let bytes: Uint8Array = new Uint8Array();
  let at = 0;

  function put(value: number): void {
    bytes[at] = value;
    at += 1;
  }

  function get(): number {
    const value = bytes[at];
    if (value === undefined) throw new Error('A packed world is too short.');
    at += 1;
    return value;
  }

  function getRevision(): Revision {
    const revision = revisions[get()];
    if (revision === undefined) throw new Error('A packed world holds an unknown revision.');
    return revision;
  }

  const ageOf = (moment: number): number => Math.min(old, world.t - moment);

  function putStatement(statement: Statement, timed: boolean): void {
    const { stage } = statement;
    put(stage);
    put(stage === IDLE || !timed ? 0 : ageOf(statement.sentAt));
    put(stage === IDLE ? 0 : statement.carried.id);
    put(stage <= SENT ? 0 : statement.seen.id);
  }

  function getStatement(statement: Statement): void {
    statement.stage = get();
    statement.sentAt = NOW - get();
    statement.carried = getRevision();
    statement.seen = getRevision();
  }

  function putMember(member: Member): void {
    const { row } = member;
    const running = member.phase !== OFF;
    put(member.phase);
    put(running ? member.enforced.id : 0);
    put(running ? ageOf(member.leaseFrom) : old);
    put(row.number + 1);
    put(world.failoversLeft > 0 ? row.before + 1 : 0);
    putStatement(member.insert, !rules.registrationGrantsNothing);
    putStatement(member.fetch, false);
    putEarlier(member);
    for (const report of member.reports) {
      putStatement(report, true);
      put(report.stage <= SENT ? 0 : Number(report.rowBirth === row.birth));
      put(Number(report.stage === EXECUTED && report.rowFound));
      put(Number(report.stage > SENT && report.seenIn === world.incarnation));
    }
  }

  function putEarlier({ earlier, row, leaseFrom }: Member): void {
    const isOfRow =
      earlier.rowBirth !== 0 && earlier.rowBirth === row.birth && earlier.seenIn === world.incarnation;
    const counts = isOfRow && earlier.sentAt > leaseFrom && ageOf(earlier.sentAt) < old;
    put(Number(counts));
    put(counts ? ageOf(earlier.sentAt) : 0);
    put(counts ? earlier.seen.id : 0);
  }

  function getMember(member: Member): void {
    const { row } = member;
    member.phase = get();
    member.enforced = getRevision();
    member.content = member.enforced.history;
    member.leaseFrom = NOW - get();
    row.number = get() - 1;
    row.before = get() - 1;
    row.birth = 1;
    getStatement(member.insert);
    getStatement(member.fetch);
    member.earlier.rowBirth = get();
    member.earlier.seenIn = INCARNATION;
    member.earlier.sentAt = NOW - get();
    member.earlier.seen = getRevision();
    for (const report of member.reports) {
      getStatement(report);
      report.rowBirth = get();
      report.rowFound = get() === 1;
      report.seenIn = get() === 1 ? INCARNATION : 1;
    }
  }

  function putWriter(writer: Writer): void {
    const { stage } = writer;
    put(stage);
    put(stage === RESTING ? 0 : writer.revision.id);
    put(stage === WAITING ? ageOf(writer.waitingFrom) : 0);
    if (stage === RESTING || writer.incarnation === 0) put(0);
    else put(writer.incarnation === world.incarnation ? INCARNATION : 1);
  }

  function getWriter(writer: Writer): void {
    writer.stage = get();
    writer.revision = getRevision();
    writer.waitingFrom = NOW - get();
    writer.incarnation = get();
  }

  function pack(into: Uint8Array): void {
    bytes = into;
    at = 0;
    put(world.current.id);
    put(Number(world.settledIn === world.incarnation));
    put(world.failoversLeft);
    put(world.returned);
    for (const member of world.members) putMember(member);
    for (const writer of world.writers) putWriter(writer);
  }

  function unpack(from: Uint8Array, offset: number): void {
    bytes = from;
    at = offset;
    world.t = NOW;
    world.incarnation = INCARNATION;
    world.current = getRevision();
    world.unwritten = world.current.next;
    world.settledIn = get() === 1 ? INCARNATION : 1;
    world.failoversLeft = get();
    world.returned = get();
    world.births = 1;
    world.violation = 0;
    for (const member of world.members) getMember(member);
    for (const writer of world.writers) getWriter(writer);
  }

  resetWorld(world);
  pack(new Uint8Array(1000));
  return { length: at, pack, unpack };
}

function listRevisions(origin: Revision): Revision[] {
  const revisions: Revision[] = [];
  let revision: Revision | undefined = origin;
  while (revision !== undefined) {
    revisions.push(revision);
    revision = revision.next;
  }
  return revisions;
}
