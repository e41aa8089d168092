// Cluster membership with heartbeats: an instance reports the revision that it and its guards enforce, and renews its
// lease with every report that finds them up to date. docs/decisions/0006 argues why that suffices.
import { type Follower, HistoryLost, type Revision } from '../access/follower.ts';
import { createAlarm, type SetTimer, setNodeTimer } from './alarm.ts';
import { type Instant, type Lease, longestLeaseMilliseconds, maxClockErrorMilliseconds } from './lease.ts';
import { pollIntervalMilliseconds } from './poll-interval.ts';
import { watchLease } from './watch-lease.ts';

/** The statements that a member runs on the database. */
export interface MemberTransport {
  register(revision: number): Promise<void>;
  /** One statement stores the enforced revision and reads the newest one; undefined if the member has no row. */
  report(revision: number, guards?: GuardCounts): Promise<ReportResult | undefined>;
  /** Called when the longest lease has passed in this incarnation of the database. */
  markMembershipComplete(incarnation: string): Promise<void>;
  /** Stops all leases: the database is at the revision `found`, and has lost what this member enforces. */
  latch(found: Revision): Promise<void>;
  deregister(): Promise<void>;
  /** Sets the listener for notifications of new revisions (NOTIFY). Notifications can get lost. */
  onNotification(listener: (revision: number) => void): void;
}

/** For each service, the number of guards that hold a lease from the member. */
export type GuardCounts = Readonly<Record<string, number>>;

/** The state of the database that a report reads. */
export interface ReportResult extends Revision {
  readonly at: number;
  /** A restart keeps the part before the `@`. Data can be lost only when that part differs. */
  readonly incarnation: string;
  /** Every member that holds a lease has a row. A failover can lose rows; the leases without a row end within one lease. */
  readonly membershipComplete: boolean;
  /** The longest lease of any instance. */
  readonly leaseMilliseconds: number;
  readonly instances: number;
}

export interface Member {
  /**
   * Resolves when memory is loaded and the lease is live. After a restart of the database, it takes up to the longest
   * lease.
   */
  join(): Promise<void>;
  leave(): Promise<void>;
}

/** The guards that hold leases from a member. */
export interface Downstream {
  /**
   * Returns the revision that a member at `own` is allowed to report. From now on, no guard gets a lease on an older
   * one.
   */
  commit(own: number): number;
  /** Returns the same revision, without that promise. */
  least(own: number): number;
  countServices(): GuardCounts;
  /** Sets the listener that is called when `least` can have risen. */
  onRise(listener: () => void): void;
  /** Whether a guard can still hold a live lease. */
  isAnyLive(): boolean;
}

interface MemberOptions {
  readonly transport: MemberTransport;
  readonly follower: Follower;
  readonly lease: Lease;
  readonly renewMilliseconds: number;
  /** Called with every revision before it is reported; the report waits for it. */
  readonly keep?: (revision: Revision) => Promise<void>;
  /**
   * Receives the time of the database's clock, and when it was requested. Without a listener, no temporary rule is in
   * force.
   */
  readonly onDatabaseTime?: (at: number, sentAt: Instant) => void;
  /** From 0 to 1. Jitter: instances that started together do not report together. */
  readonly random: () => number;
  readonly onFailure: (cause: unknown) => void;
  /** Called when the lease has ended, and when it is live again. */
  readonly onLease?: (isLive: boolean) => void;
  /** The guards of this member; none by default. */
  readonly downstream?: Downstream;
  readonly setTimer?: SetTimer;
}

/** How often a member that waits for a guard checks whether the guard's lease has ended. */
const heldBackMilliseconds = 50;

/** This machine's clock differs too much from the database's clock to decide whether a token has expired. */
export class ClockWrong extends Error {
  constructor(offMilliseconds: number) {
    super(
      `The clock of this host differs from the clock of the database by ${(offMilliseconds / 1000).toFixed(1)} s. Synchronise both with a time server (NTP).`,
    );
    this.name = 'ClockWrong';
  }
}

const noDownstream: Downstream = {
  commit: (own) => own,
  least: (own) => own,
  countServices: () => ({}),
  onRise() {},
  isAnyLive: () => false,
};

export function createMember(options: MemberOptions): Member {
  const {
    transport,
    follower,
    lease,
    downstream = noDownstream,
    renewMilliseconds,
    random,
    onFailure,
  } = options;
  const { keep = async () => {}, onDatabaseTime = () => {}, onLease = () => {} } = options;
  const { setTimer = setNodeTimer } = options;
  const membership = createMembershipWatch(transport, lease);
  const alarm = createAlarm(setTimer);
  /** A change does not interrupt this wait. */
  const pause = createAlarm(setTimer);
  let isStopped = false;
  let isNotified = false;
  let instances = 1;
  /** The revision in the member's row. */
  let reported = -1;
  /** Answered reports that found a newer revision than the row shows. They extend the lease once the row shows it. */
  let waiting: (ReportResult & { sentAt: Instant })[] = [];
  /** The lineage of the database that this member's last lease is from. */
  let lineage: string | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopWatching = () => {};

  /** One heartbeat. Resolves with true if the member must wait, because `membershipComplete` is not set yet. */
  async function heartbeat(): Promise<boolean> {
    if (isNotified) await follower.follow().catch(passLoss);
    isNotified = false;
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
      if (!isSame(found, carried)) await advanceTo(found);
      // After a failover or a restore, only a member with a live lease knows that nothing was lost: no change was
      // acknowledged without it. A member without a lease waits, so that members that know of a loss can report first.
      const isKnown = found.membershipComplete || lease.isLive() || lineage === lineageOf(found);
      // A member that was stopped meanwhile has no row any more, so it gets no lease.
      const mayHold = isKnown && !isStopped;
      // Drop reports from before a failover, because a failover can bring a removed row back.
      waiting = [
        ...waiting.filter(({ incarnation }) => incarnation === found.incarnation),
        { ...found, sentAt },
      ];
      // The row now shows the revisions that these reports found, so no change has waited for this instance since they
      // were sent.
      const shown = waiting.filter(({ n }) => n <= least);
      if (mayHold && shown.length > 0) {
        for (const { sentAt } of shown) lease.extend(sentAt);
        lineage = lineageOf(found);
      }
      waiting = waiting.filter((one) => one.n > least && isRecent(one.sentAt));
      if (downstream.least(follower.revision.n) > least) continue;
      await membership.consider(found);
      return !mayHold;
    }
  }

  /** A report that is older than the longest lease cannot extend a lease. */
  function isRecent({ monotonic }: Instant): boolean {
    return lease.now().monotonic - monotonic < longestLeaseMilliseconds;
  }

  async function advanceTo(found: ReportResult): Promise<void> {
    try {
      await follower.advanceTo(found);
    } catch (error) {
      if (error instanceof HistoryLost) await transport.latch(found).catch(onFailure);
      throw error;
    }
  }

  /** Ends the lease at once after a lost history or a wrong clock. After any other failure, the lease runs out. */
  async function tryHeartbeat(): Promise<boolean> {
    try {
      return await heartbeat();
    } catch (error) {
      waiting = [];
      if (error instanceof HistoryLost || error instanceof ClockWrong) lease.drop();
      if (error instanceof HistoryLost) lineage = undefined;
      throw error;
    }
  }

  /** Whether there is a newer revision to report than the row shows. */
  function hasRisen(): boolean {
    return downstream.least(follower.revision.n) > reported;
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      await pause.wait(pollIntervalMilliseconds(instances));
      let left = renewMilliseconds * (0.8 + 0.2 * random());
      while (!isStopped && !isNotified && !hasRisen() && left > 0) {
        const next = reported < follower.revision.n ? Math.min(left, heldBackMilliseconds) : left;
        await alarm.wait(next);
        left -= next;
      }
      if (!isStopped) await tryHeartbeat().catch(onFailure);
    }
  }

  return {
    async join() {
      transport.onNotification((revision) => {
        if (revision <= follower.revision.n) return;
        isNotified = true;
        alarm.wake();
      });
      downstream.onRise(() => {
        if (hasRisen()) alarm.wake();
      });
      await follower.advanceTo({ n: 0, mark: '' });
      while ((await tryHeartbeat()) && !isStopped) await pause.wait(renewMilliseconds);
      running = run();
      stopWatching = watchLease(lease, onLease, setTimer);
    },
    async leave() {
      isStopped = true;
      stopWatching();
      alarm.wake();
      pause.wake();
      await running;
      lease.drop();
      // While a guard can hold a live lease, the row stays, and the next change waits for one lease. By then, the guard's
      // lease has ended.
      if (!downstream.isAnyLive()) await transport.deregister();
    },
  };
}

/** Ignores HistoryLost: the report that follows finds the loss again, together with the revision of the database. */
function passLoss(error: unknown): void {
  if (!(error instanceof HistoryLost)) throw error;
}

function lineageOf({ incarnation }: ReportResult): string {
  const [lineage = incarnation] = incarnation.split('@');
  return lineage;
}

function isSame(one: Revision, other: Revision): boolean {
  return one.n === other.n && one.mark === other.mark;
}

/** Compares the clocks: the database read its time between `sentAt` and `receivedAt`, however long the answer took. */
export function checkClock(databaseAt: number, sentAt: Instant, receivedAt: Instant): void {
  const ahead = sentAt.wall - databaseAt;
  const behind = databaseAt - receivedAt.wall;
  const off = Math.max(ahead, behind);
  if (off > maxClockErrorMilliseconds) throw new ClockWrong(off);
}

/**
 * A failover can lose the rows of members that hold a live lease, and with them the lengths of the leases. After the
 * longest lease, all of these leases have ended, and the membership is complete.
 */
function createMembershipWatch(transport: MemberTransport, lease: Lease) {
  let first: { incarnation: string; at: number } | undefined;
  return {
    async consider({ incarnation, membershipComplete }: ReportResult): Promise<void> {
      if (membershipComplete) return;
      const at = lease.now().monotonic;
      if (first?.incarnation !== incarnation) first = { incarnation, at };
      else if (at - first.at > longestLeaseMilliseconds) await transport.markMembershipComplete(incarnation);
    },
  };
}
