// This instance as one of many: it reports which revision it and the guards that it answers for enforce, and with every
// report that finds them up to date its lease begins anew. Why that suffices is argued in docs/decisions/0006.
import { type Follower, HistoryLost, type Revision } from '../access/follower.ts';
import { createAlarm, type SetTimer, setNodeTimer } from './alarm.ts';
import { type Instant, type Lease, longestLeaseMilliseconds, maxClockErrorMilliseconds } from './lease.ts';
import { paceMilliseconds } from './poll-interval.ts';
import { watchLease } from './watch-lease.ts';

/** How a member talks to the database. */
export interface MemberTransport {
  register(revision: number): Promise<void>;
  /** One statement that stores what is enforced and finds what is newest; undefined where the member has no row. */
  report(revision: number, guards?: GuardCounts): Promise<Found | undefined>;
  /** The longest lease has passed in this incarnation of the database. */
  markMembershipComplete(incarnation: string): Promise<void>;
  /** The database is at this revision, and has lost what this member enforces: nobody is to get a lease there. */
  latch(found: Revision): Promise<void>;
  deregister(): Promise<void>;
  /** The listener hears of every ring of the doorbell that gets through. */
  onRing(listener: (revision: number) => void): void;
}

/** How many guards of each service the member answers for. */
export type GuardCounts = Readonly<Record<string, number>>;

export interface Found extends Revision {
  readonly at: number;
  /** Up to an @ what a restart keeps: only where that differs something may have been lost. */
  readonly incarnation: string;
  /** Every member that holds a lease has its row: a failover can lose some, and one lease later nobody goes by them. */
  readonly membershipComplete: boolean;
  /** The longest lease of any instance. */
  readonly leaseMilliseconds: number;
  readonly instances: number;
}

export interface Member {
  /** Resolves when memory is loaded and the lease is live; up to the longest lease after the database restarted. */
  join(): Promise<void>;
  leave(): Promise<void>;
}

/** Whom a member answers for. */
export interface Downstream {
  /** What the member may report that enforces `own`: from now on nobody is given a lease on less. */
  commit(own: number): number;
  /** The same, without that. */
  least(own: number): number;
  countServices(): GuardCounts;
  /** The listener is told when `least` may have risen. */
  onRise(listener: () => void): void;
  /** Whether somebody may still go by a lease. */
  isAnyLive(): boolean;
}

interface MemberOptions {
  readonly transport: MemberTransport;
  readonly follower: Follower;
  readonly lease: Lease;
  readonly renewMilliseconds: number;
  /** Told of every revision before it is reported, and waited for. */
  readonly keep?: (revision: Revision) => Promise<void>;
  /** What the database's clock showed, and when it was asked. Without a listener no temporary rule is in force. */
  readonly onDatabaseTime?: (at: number, sentAt: Instant) => void;
  /** From 0 to 1; keeps instances that started together from reporting together. */
  readonly random: () => number;
  readonly onFailure: (cause: unknown) => void;
  /** Told of a lease that is over, and of one that is back. */
  readonly onLease?: (isLive: boolean) => void;
  /** The guards that it answers for; nobody unless given. */
  readonly downstream?: Downstream;
  readonly setTimer?: SetTimer;
}

/** How often is looked whether the lease of a guard that is behind has ended. */
const heldBackMilliseconds = 50;

/** The clock is too far off the database's to say whether a token has expired. */
export class ClockWrong extends Error {
  constructor(offMilliseconds: number) {
    super(
      `This machine's clock is ${(offMilliseconds / 1000).toFixed(1)} s off the database's. Synchronise both with a time server (NTP).`,
    );
    this.name = 'ClockWrong';
  }
}

const nobody: Downstream = {
  commit: (own) => own,
  least: (own) => own,
  countServices: () => ({}),
  onRise() {},
  isAnyLive: () => false,
};

export function createMember(options: MemberOptions): Member {
  const { transport, follower, lease, downstream = nobody, renewMilliseconds, random, onFailure } = options;
  const { keep = async () => {}, onDatabaseTime = () => {}, onLease = () => {} } = options;
  const { setTimer = setNodeTimer } = options;
  const rows = createRowsWatch(transport, lease);
  const alarm = createAlarm(setTimer);
  /** Is not cut short by a change. */
  const pause = createAlarm(setTimer);
  let isStopped = false;
  let isRung = false;
  let instances = 1;
  /** What the row shows. */
  let reported = -1;
  /** Reports that were answered on this row, and found what the row does not show yet. */
  let waiting: (Found & { sentAt: Instant })[] = [];
  /** Where this member's last lease is from. */
  let lineage: string | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopWatching = () => {};

  /** Says whether it has to wait for the database to settle. */
  async function turn(): Promise<boolean> {
    if (isRung) await follower.follow().catch(passLoss);
    isRung = false;
    for (;;) {
      const carried = follower.revision;
      await keep(carried);
      const least = downstream.commit(carried.n);
      const sentAt = lease.now();
      const found = await transport.report(least, downstream.countServices());
      if (found === undefined) {
        waiting = [];
        await transport.register(least);
        continue;
      }
      reported = least;
      instances = found.instances;
      checkClock(found.at, sentAt, lease.now());
      onDatabaseTime(found.at, sentAt);
      if (!isSame(found, carried)) await reach(found);
      // After a failover or a restore only who still holds a lease knows that nothing was lost: no change was acknowledged
      // without it. Whoever holds none waits, so that those who know of a loss can report first.
      const isKnown = found.membershipComplete || lease.isLive() || lineage === lineageOf(found);
      // Nor does one that has left meanwhile, whose row is gone.
      const mayHold = isKnown && !isStopped;
      // Not over a failover, which can bring a removed row back.
      waiting = [
        ...waiting.filter(({ incarnation }) => incarnation === found.incarnation),
        { ...found, sentAt },
      ];
      // The row shows by now what these found, so nobody waits for this instance since before they were sent.
      const shown = waiting.filter(({ n }) => n <= least);
      if (mayHold && shown.length > 0) {
        for (const { sentAt } of shown) lease.extend(sentAt);
        lineage = lineageOf(found);
      }
      waiting = waiting.filter((one) => one.n > least && isRecent(one.sentAt));
      if (downstream.least(follower.revision.n) > least) continue;
      await rows.consider(found);
      return !mayHold;
    }
  }

  /** Older ones are of no use. */
  function isRecent({ monotonic }: Instant): boolean {
    return lease.now().monotonic - monotonic < longestLeaseMilliseconds;
  }

  async function reach(found: Found): Promise<void> {
    try {
      await follower.reach(found);
    } catch (error) {
      if (error instanceof HistoryLost) await transport.latch(found).catch(onFailure);
      throw error;
    }
  }

  /** Ends the lease at once where going on by it would be wrong; any other failure lets it run out. */
  async function tryTurn(): Promise<boolean> {
    try {
      return await turn();
    } catch (error) {
      waiting = [];
      if (error instanceof HistoryLost || error instanceof ClockWrong) lease.drop();
      if (error instanceof HistoryLost) lineage = undefined;
      throw error;
    }
  }

  /** Whether there is something to report that the row does not show. */
  function hasRisen(): boolean {
    return downstream.least(follower.revision.n) > reported;
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      await pause.wait(paceMilliseconds(instances));
      let left = renewMilliseconds * (0.8 + 0.2 * random());
      while (!isStopped && !isRung && !hasRisen() && left > 0) {
        const next = reported < follower.revision.n ? Math.min(left, heldBackMilliseconds) : left;
        await alarm.wait(next);
        left -= next;
      }
      if (!isStopped) await tryTurn().catch(onFailure);
    }
  }

  return {
    async join() {
      transport.onRing((revision) => {
        if (revision <= follower.revision.n) return;
        isRung = true;
        alarm.ring();
      });
      downstream.onRise(() => {
        if (hasRisen()) alarm.ring();
      });
      await follower.reach({ n: 0, mark: '' });
      while ((await tryTurn()) && !isStopped) await pause.wait(renewMilliseconds);
      running = run();
      stopWatching = watchLease(lease, onLease, setTimer);
    },
    async leave() {
      isStopped = true;
      stopWatching();
      alarm.ring();
      pause.ring();
      await running;
      lease.drop();
      // A row that stays makes the next change wait for one lease, which no guard that is left outlives.
      if (!downstream.isAnyLive()) await transport.deregister();
    },
  };
}

/** The report after it finds the same, and where the database stands. */
function passLoss(error: unknown): void {
  if (!(error instanceof HistoryLost)) throw error;
}

function lineageOf({ incarnation }: Found): string {
  const [lineage = incarnation] = incarnation.split('@');
  return lineage;
}

function isSame(one: Revision, other: Revision): boolean {
  return one.n === other.n && one.mark === other.mark;
}

/** The database's time lies between the two readings, however long the answer took. */
export function checkClock(databaseAt: number, sentAt: Instant, receivedAt: Instant): void {
  const ahead = sentAt.wall - databaseAt;
  const behind = databaseAt - receivedAt.wall;
  const off = Math.max(ahead, behind);
  if (off > maxClockErrorMilliseconds) throw new ClockWrong(off);
}

/**
 * A failover can lose the rows of members that still hold a lease, and how long their leases are: after the longest one
 * none does.
 */
function createRowsWatch(transport: MemberTransport, lease: Lease) {
  let first: { incarnation: string; at: number } | undefined;
  return {
    async consider({ incarnation, membershipComplete }: Found): Promise<void> {
      if (membershipComplete) return;
      const at = lease.now().monotonic;
      if (first?.incarnation !== incarnation) first = { incarnation, at };
      else if (at - first.at > longestLeaseMilliseconds) await transport.markMembershipComplete(incarnation);
    },
  };
}
