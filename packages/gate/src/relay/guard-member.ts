// A guard's side of its lease: it asks an instance for one on what it enforces, puts in force what the instance sends, and
// asks again. Why that suffices is argued in docs/decisions/0028.
import { type Follower, HistoryLost, type Revision } from '../access/follower.ts';
import { createAlarm, type SetTimer, setNodeTimer } from '../member/alarm.ts';
import type { Instant, Lease } from '../member/lease.ts';
import { ClockWrong, checkClock, type Member } from '../member/member.ts';
import { watchLease } from '../member/watch-lease.ts';
import type { FromGuard, FromRelay } from './guard-protocol.ts';
import type { PushedSource } from './pushed-source.ts';

/** The way to an instance. */
export interface GuardConnection {
  send(message: FromGuard): void;
  close(): void;
}

export interface ConnectionEvents {
  onMessage(message: FromRelay): void;
  /** Once; not after `close`. */
  onClosed(cause: Error): void;
}

/** With every call to another instance, where there are several. */
export type OpenConnection = (events: ConnectionEvents) => Promise<GuardConnection>;

export interface GuardMemberOptions {
  readonly openLine: OpenConnection;
  readonly source: PushedSource;
  readonly follower: Follower;
  readonly lease: Lease;
  readonly identity: { readonly id: string; readonly service: string; readonly version: string };
  readonly onDatabaseTime: (at: number, sentAt: Instant) => void;
  /** From 0 to 1; keeps guards that lost their instance together from coming back together. */
  readonly random: () => number;
  readonly onFailure: (cause: unknown) => void;
  readonly onLease: (isLive: boolean) => void;
  readonly setTimer?: SetTimer;
}

const renewMilliseconds = 1000;
/** After a refusal that passes by itself. */
const againMilliseconds = 100;
/** An answer that takes longer cannot be told from a lost one; an instance that refuses for as long is left. */
const patienceMilliseconds = 750;
const reopenMilliseconds = 250;
const joinMilliseconds = 5000;

/** A line, and what was asked on it. */
interface Asking {
  readonly line: GuardConnection;
  readonly asked: Map<number, Instant>;
  /** When the instance last gave a lease, or was first asked for one. */
  heardAt: number;
}

export function createGuardMember(options: GuardMemberOptions): Member {
  const { openLine, source, follower, lease, identity, onDatabaseTime, random, onFailure, onLease } = options;
  const { setTimer = setNodeTimer } = options;
  const alarm = createAlarm(setTimer);
  let current: Asking | undefined;
  /** Its instance ends: what it gave is given back once another one has given a lease. */
  let leaving: Asking | undefined;
  let isStopped = false;
  let isRefused = false;
  let seq = 0;
  let askAt = 0;
  /** What was last heard of to be in force. */
  let target: Revision | undefined;
  let work: Promise<void> | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopWatching = () => {};
  let tellJoined: (failure?: unknown) => void = () => {};

  function renew({ line, asked }: Asking): void {
    seq += 1;
    const sentAt = lease.now();
    asked.set(seq, sentAt);
    askAt = sentAt.monotonic + renewMilliseconds * (0.8 + 0.2 * random());
    const { n, mark } = follower.revision;
    line.send({ kind: 'renew', seq, n, mark });
  }

  async function open(): Promise<void> {
    let asking: Asking | undefined;
    const line = await openLine({
      onMessage: (message) => {
        if (asking !== undefined) hear(asking, message);
      },
      onClosed(cause) {
        if (asking !== undefined) end(asking, cause);
      },
    });
    if (isStopped) return line.close();
    asking = { line, asked: new Map(), heardAt: lease.now().monotonic };
    current = asking;
    line.send({ kind: 'hello', ...identity });
    renew(asking);
  }

  function end(asking: Asking, cause: unknown): void {
    if (asking === leaving) leaving = undefined;
    if (asking !== current) return;
    current = undefined;
    isRefused = false;
    asking.line.close();
    fail(cause);
    alarm.ring();
  }

  function fail(cause: unknown): void {
    onFailure(cause);
    tellJoined(cause);
  }

  function hear(asking: Asking, message: FromRelay): void {
    if (isStopped || (asking !== current && asking !== leaving)) return;
    try {
      if (message.kind === 'granted') take(asking, message);
      else if (message.kind === 'refused') refuse(asking, message);
      else if (message.kind === 'revisions') reach(source.push(message));
      else if (message.kind === 'load') reach(message);
      else leaveFor(asking);
    } catch (error) {
      if (error instanceof HistoryLost || error instanceof ClockWrong) lease.drop();
      fail(error);
    }
  }

  function take(asking: Asking, { seq, milliseconds, at }: Extract<FromRelay, { kind: 'granted' }>): void {
    const sentAt = asking.asked.get(seq);
    if (sentAt === undefined) return;
    asking.asked.delete(seq);
    asking.heardAt = lease.now().monotonic;
    isRefused = false;
    checkClock(at, sentAt, lease.now());
    onDatabaseTime(at, sentAt);
    if (leaving === undefined || asking === leaving) lease.extend(sentAt, milliseconds);
    else {
      // Before it is given back: from then on the other instance answers for this guard alone.
      lease.replace(sentAt, milliseconds);
      leaving.line.send({ kind: 'release' });
      leaving.line.close();
      leaving = undefined;
    }
    if (lease.isLive()) tellJoined();
  }

  function refuse(asking: Asking, { seq, why }: Extract<FromRelay, { kind: 'refused' }>): void {
    asking.asked.delete(seq);
    if (why === 'lost')
      throw new HistoryLost(
        `Portcullis does not know revision ${follower.revision.n}, which this guard enforces`,
      );
    // What it lacks is on its way.
    if (why === 'behind') return;
    isRefused = true;
    askAt = lease.now().monotonic + againMilliseconds;
    alarm.ring();
  }

  function leaveFor(asking: Asking): void {
    if (asking !== current) return;
    leaving = asking;
    current = undefined;
    alarm.ring();
  }

  function reach(revision: Revision): void {
    target = revision;
    work ??= followOn().finally(() => {
      work = undefined;
    });
  }

  /** Asks for a lease on it at once, because a change waits for that. */
  async function followOn(): Promise<void> {
    try {
      while (target !== undefined && !isStopped) {
        const { n } = follower.revision;
        const aim = target;
        // Of an instance that is behind another one.
        if (aim.n >= n) await follower.reach(aim);
        if (target === aim) target = undefined;
        if (current !== undefined && !isStopped && follower.revision.n !== n) renew(current);
      }
    } catch (error) {
      if (error instanceof HistoryLost) lease.drop();
      fail(error);
    }
  }

  /** When its answer is overdue that was asked first; Infinity where nothing is. */
  function overdueAt({ asked }: Asking): number {
    const [oldest] = asked.values();
    return (oldest?.monotonic ?? Number.POSITIVE_INFINITY) + patienceMilliseconds;
  }

  function look(asking: Asking): void {
    const at = lease.now().monotonic;
    const isLeft = isRefused && at - asking.heardAt > patienceMilliseconds;
    if (at >= overdueAt(asking)) end(asking, new Error('Portcullis does not answer.'));
    else if (isLeft)
      end(asking, new Error('Portcullis gives no lease now: it has none itself, or is behind.'));
    else if (at >= askAt) {
      // Where it failed before.
      if (target !== undefined) reach(target);
      renew(asking);
    }
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      if (current === undefined) {
        await alarm.wait(reopenMilliseconds * random());
        if (!isStopped) await open().catch(fail);
      } else {
        const left = Math.min(askAt, overdueAt(current)) - lease.now().monotonic;
        if (left > 0) await alarm.wait(left);
        else look(current);
      }
    }
  }

  /** The first one. */
  function whenLeased(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    tellJoined = (failure) => (failure === undefined ? resolve() : reject(failure));
    const cancel = setTimer(() => reject(new Error('Portcullis gives no lease now.')), joinMilliseconds);
    return promise.finally(() => {
      cancel();
      tellJoined = () => {};
    });
  }

  return {
    async join() {
      await follower.reach({ n: 0, mark: '' });
      const leased = whenLeased();
      // Told by what opening throws.
      leased.catch(() => {});
      await open();
      running = run();
      await leased;
      stopWatching = watchLease(lease, onLease, setTimer);
    },
    async leave() {
      isStopped = true;
      stopWatching();
      alarm.ring();
      lease.drop();
      for (const asking of [current, leaving]) {
        asking?.line.send({ kind: 'release' });
        asking?.line.close();
      }
      await Promise.all([running, work]);
    },
  };
}
