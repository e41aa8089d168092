// The words for a counterexample. They are made after a step, from what it left behind.
import type { Revision } from './revision.ts';
import { hasGuardLease, hasLease } from './violation.ts';
import {
  EXECUTED,
  type Guard,
  type Member,
  NO_ROW,
  type Question,
  RESTING,
  type Statement,
  type World,
  type Writer,
} from './world.ts';

/** Two revisions with one number differ by their mark: the letter is the order in which they were written. */
export function tellRevision(revision: Revision): string {
  return `${revision.number}${String.fromCharCode(97 + revision.id)}`;
}

export function tellEnforced({ enforced }: Pick<Member, 'enforced'>): string {
  return `revision ${tellRevision(enforced)}`;
}

export function tellSeen(statement: Statement): string {
  return `newest is ${tellRevision(statement.seen)}`;
}

export function tellRow(member: Member): string {
  return member.row.number === NO_ROW ? 'there is no row' : `its row says ${member.row.number}`;
}

export function tellReport(member: Member, report: Statement): string {
  return report.rowFound ? tellRow(member) : 'its row is gone';
}

export function tellLease(world: World, member: Member): string {
  if (!hasLease(world, member)) return 'it has no lease';
  const until = member.leaseFrom + world.lease / member.rate;
  return `it has a lease until t=${Math.round(until * 10) / 10}`;
}

export function tellGrant(world: World, { stage, given, member }: Question): string {
  if (stage !== EXECUTED || member === undefined) return 'with nothing';
  return `with ${Math.round(given / member.rate)} ticks of member ${member.index + 1}, from t=${world.t} on`;
}

export function tellGuardLease(world: World, guard: Guard): string {
  if (!hasGuardLease(world, guard)) return 'it has no lease';
  return `it has a lease until t=${Math.round(guard.leaseUntil * 10) / 10}`;
}

export function tellWriter(world: World, writer: Writer): string {
  const { revision } = writer;
  if (writer.stage !== RESTING) return '';
  const returned = (world.returned & revision.bit) !== 0;
  return returned ? `: the call for ${tellRevision(revision)} RETURNS` : ': 503, the database is another';
}

export function tellFailover(world: World, gone: number, older: number): string {
  const rows = [tellRows(world, gone, 'lost'), tellRows(world, older, 'older')].filter((part) => part !== '');
  return [`FAILOVER, newest is ${tellRevision(world.current)}`, ...rows].join('; ');
}

function tellRows(world: World, rows: number, fate: string): string {
  const names = world.members
    .filter(({ index }) => (rows & (1 << index)) !== 0)
    .map(({ index }) => index + 1);
  return names.length === 0 ? '' : `${fate}: row of member ${names.join(', ')}`;
}
