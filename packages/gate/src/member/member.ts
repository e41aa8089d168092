// This instance as one of many: it reports which revision it enforces, and with every report that finds it up to date
// its lease begins anew. Why that suffices is argued in docs/decisions/0006.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Follower, HistoryLost, type Revision } from '../access/follower.ts';
import { type Instant, type Lease, longestLeaseMilliseconds, maxClockErrorMilliseconds } from './lease.ts';
import { paceMilliseconds } from './pace.ts';
import { watchLease } from './watch-lease.ts';

/** How a member talks to the database: by SQL here, by HTTP where a service is a member. */
export interface MemberTransport {
  register(revision: number): Promise<void>;
  /** One statement that stores what is enforced and finds what is newest; undefined where the member has no row. */
  report(revision: number): Promise<Found | undefined>;
  /** The longest lease has passed in this incarnation of the database. */
  markRowsComplete(incarnation: string): Promise<void>;
  /** The database is at this revision, and has lost what this member enforces: nobody is to get a lease there. */
  latch(found: Revision): Promise<void>;
  deregister(): Promise<void>;
  /** The listener hears of every ring of the doorbell that gets through. */
  onRing(listener: (revision: number) => void): void;
}

export interface Found extends Revision {
  readonly at: number;
  /** Up to an @ what a restart keeps: only where that differs something may have been lost. */
  readonly incarnation: string;
  /** Every member that holds a lease has its row: a failover can lose some, and one lease later nobody goes by them. */
  readonly rowsComplete: boolean;
  /** The longest lease of any instance. */
  readonly leaseMilliseconds: number;
  readonly instances: number;
}

export interface Member {
  /** Resolves when memory is loaded and the lease is live; up to the longest lease after the database restarted. */
  join(): Promise<void>;
  leave(): Promise<void>;
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
}

/** The clock is too far off the database's to say whether a token has expired. */
export class ClockWrong extends Error {
  constructor(offMilliseconds: number) {
    super(
      `This machine's clock is ${(offMilliseconds / 1000).toFixed(1)} s off the database's. Synchronise both with a time server (NTP).`,
    );
    this.name = 'ClockWrong';
  }
}

export function createMember(options: MemberOptions): Member {
  const { transport, follower, lease, renewMilliseconds, random, onFailure } = options;
  const { keep = async () => {}, onDatabaseTime = () => {}, onLease = () => {} } = options;
  const rows = createRowsWatch(transport, lease);
  const stop = new AbortController();
  let wake = () => {};
  let isRung = false;
  let instances = 1;
  /** Where this member's last lease is from. */
  let lineage: string | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopWatching = () => {};

  /** Says whether it has to wait for the database to settle. */
  async function turn(): Promise<boolean> {
    if (isRung) await follower.follow().catch(passLoss);
    isRung = false;
    for (let before: (Found & { sentAt: Instant }) | undefined; ; ) {
      const carried = follower.revision;
      await keep(carried);
      const sentAt = lease.now();
      const found = await transport.report(carried.n);
      if (found === undefined) {
        await transport.register(carried.n);
        before = undefined;
        continue;
      }
      instances = found.instances;
      checkClock(found.at, sentAt, lease.now());
      onDatabaseTime(found.at, sentAt);
      const isNewest = isSame(found, carried);
      if (!isNewest) await reach(found);
      // After a failover or a restore only who still holds a lease knows that nothing was lost: no change was acknowledged
      // without it. Whoever holds none waits, so that those who know of a loss can report first.
      const mayHold = found.rowsComplete || lease.isLive() || lineage === lineageOf(found);
      // The row shows by now what the report before found, so nobody waits for this instance since before that was sent.
      // Not over a failover, which can bring a removed row back.
      const earlier = mayHold ? before : undefined;
      if (earlier !== undefined && earlier.n <= carried.n && earlier.incarnation === found.incarnation)
        lease.extend(earlier.sentAt);
      if (isNewest) {
        if (mayHold) {
          lease.extend(sentAt);
          lineage = lineageOf(found);
        }
        await rows.consider(found);
        return !mayHold;
      }
      before = { ...found, sentAt };
    }
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
      if (error instanceof HistoryLost || error instanceof ClockWrong) lease.drop();
      if (error instanceof HistoryLost) lineage = undefined;
      throw error;
    }
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      await sleep(paceMilliseconds(instances), undefined, { signal: stop.signal }).catch(() => {});
      if (!isRung && !stop.signal.aborted) await rungOr(renewMilliseconds * (0.8 + 0.2 * random()));
      if (!stop.signal.aborted) await tryTurn().catch(onFailure);
    }
  }

  function rungOr(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
    return promise;
  }

  return {
    async join() {
      transport.onRing((revision) => {
        if (revision <= follower.revision.n) return;
        isRung = true;
        wake();
      });
      await follower.reach({ n: 0, mark: '' });
      while ((await tryTurn()) && !stop.signal.aborted)
        await sleep(renewMilliseconds, undefined, { signal: stop.signal }).catch(() => {});
      running = run();
      stopWatching = watchLease(lease, onLease);
    },
    async leave() {
      stop.abort();
      stopWatching();
      wake();
      await running;
      lease.drop();
      await transport.deregister();
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
    async consider({ incarnation, rowsComplete }: Found): Promise<void> {
      if (rowsComplete) return;
      const at = lease.now().monotonic;
      if (first?.incarnation !== incarnation) first = { incarnation, at };
      else if (at - first.at > longestLeaseMilliseconds) await transport.markRowsComplete(incarnation);
    },
  };
}
