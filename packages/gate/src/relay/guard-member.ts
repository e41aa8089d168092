// Lease client of a guard: it renews the guard's lease over a connection to an instance, applies the changes that the
// instance sends, and reconnects to another instance after a failure. docs/decisions/0028 argues why that suffices.
import { type Follower, HistoryLost, type Revision } from '../access/follower.ts';
import { createAlarm, type SetTimer, setNodeTimer } from '../member/alarm.ts';
import type { Instant, Lease } from '../member/lease.ts';
import { ClockWrong, checkClock, type Member } from '../member/member.ts';
import { watchLease } from '../member/watch-lease.ts';
import type { FromGuard, FromRelay } from './guard-protocol.ts';
import type { PushedSource } from './pushed-source.ts';

/** A connection to an instance. */
export interface GuardConnection {
  send(message: FromGuard): void;
  close(): void;
}

export interface ConnectionEvents {
  onMessage(message: FromRelay): void;
  /** Called once; not called after `close`. */
  onClosed(cause: Error): void;
}

/** Every call connects to another instance, if there are several. */
export type OpenConnection = (events: ConnectionEvents) => Promise<GuardConnection>;

export interface GuardMemberOptions {
  readonly openConnection: OpenConnection;
  readonly source: PushedSource;
  readonly follower: Follower;
  readonly lease: Lease;
  readonly identity: { readonly id: string; readonly service: string; readonly version: string };
  readonly onDatabaseTime: (at: number, sentAt: Instant) => void;
  /** From 0 to 1. Jitter: guards that lost their instance together do not reconnect together. */
  readonly random: () => number;
  readonly onFailure: (cause: unknown) => void;
  readonly onLease: (isLive: boolean) => void;
  readonly setTimer?: SetTimer;
}

const renewMilliseconds = 1000;
/** The retry interval after a temporary refusal. */
const retryMilliseconds = 100;
/** The timeout for an answer. The guard also leaves an instance that refuses for this long. */
const answerTimeoutMilliseconds = 750;
const reopenMilliseconds = 250;
const joinTimeoutMilliseconds = 5000;

/** A connection to an instance, with the requests that wait for an answer. */
interface Channel {
  readonly connection: GuardConnection;
  readonly pending: Map<number, Instant>;
  /** When the instance last granted a lease, or else when the connection was opened. */
  grantedAt: number;
}

export function createGuardMember(options: GuardMemberOptions): Member {
  const { openConnection, source, follower, lease, identity, onDatabaseTime, random, onFailure, onLease } =
    options;
  const { setTimer = setNodeTimer } = options;
  const alarm = createAlarm(setTimer);
  let current: Channel | undefined;
  /** The connection to an instance that shuts down. The guard releases its lease once another instance has granted one. */
  let departing: Channel | undefined;
  let isStopped = false;
  let isRefused = false;
  let seq = 0;
  let askAt = 0;
  /** The latest revision that an instance has announced. */
  let target: Revision | undefined;
  let work: Promise<void> | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopWatching = () => {};
  let tellJoined: (failure?: unknown) => void = () => {};

  function renew({ connection, pending }: Channel): void {
    seq += 1;
    const sentAt = lease.now();
    pending.set(seq, sentAt);
    askAt = sentAt.monotonic + renewMilliseconds * (0.8 + 0.2 * random());
    const { n, mark } = follower.revision;
    connection.send({ kind: 'renew', seq, n, mark });
  }

  async function open(): Promise<void> {
    let channel: Channel | undefined;
    const connection = await openConnection({
      onMessage: (message) => {
        if (channel !== undefined) handleMessage(channel, message);
      },
      onClosed(cause) {
        if (channel !== undefined) end(channel, cause);
      },
    });
    if (isStopped) return connection.close();
    channel = { connection, pending: new Map(), grantedAt: lease.now().monotonic };
    current = channel;
    connection.send({ kind: 'hello', ...identity });
    renew(channel);
  }

  function end(channel: Channel, cause: unknown): void {
    if (channel === departing) departing = undefined;
    if (channel !== current) return;
    current = undefined;
    isRefused = false;
    channel.connection.close();
    fail(cause);
    alarm.wake();
  }

  function fail(cause: unknown): void {
    onFailure(cause);
    tellJoined(cause);
  }

  function handleMessage(channel: Channel, message: FromRelay): void {
    if (isStopped || (channel !== current && channel !== departing)) return;
    try {
      if (message.kind === 'granted') handleGrant(channel, message);
      else if (message.kind === 'refused') handleRefusal(channel, message);
      else if (message.kind === 'revisions') advanceTo(source.push(message));
      else if (message.kind === 'load') advanceTo(message);
      else switchInstance(channel);
    } catch (error) {
      if (error instanceof HistoryLost || error instanceof ClockWrong) lease.drop();
      fail(error);
    }
  }

  function handleGrant(
    channel: Channel,
    { seq, milliseconds, at }: Extract<FromRelay, { kind: 'granted' }>,
  ): void {
    const sentAt = channel.pending.get(seq);
    if (sentAt === undefined) return;
    channel.pending.delete(seq);
    channel.grantedAt = lease.now().monotonic;
    isRefused = false;
    checkClock(at, sentAt, lease.now());
    onDatabaseTime(at, sentAt);
    if (departing === undefined || channel === departing) lease.extend(sentAt, milliseconds);
    else {
      // Replace the lease before releasing the old one: after the release, only the new instance waits for this guard.
      lease.replace(sentAt, milliseconds);
      departing.connection.send({ kind: 'release' });
      departing.connection.close();
      departing = undefined;
    }
    if (lease.isLive()) tellJoined();
  }

  function handleRefusal(channel: Channel, { seq, why }: Extract<FromRelay, { kind: 'refused' }>): void {
    channel.pending.delete(seq);
    if (why === 'lost')
      throw new HistoryLost(
        `Portcullis does not know revision ${follower.revision.n}, which this guard enforces`,
      );
    // The instance sends the missing revisions after this refusal.
    if (why === 'behind') return;
    isRefused = true;
    askAt = lease.now().monotonic + retryMilliseconds;
    alarm.wake();
  }

  function switchInstance(channel: Channel): void {
    if (channel !== current) return;
    departing = channel;
    current = undefined;
    alarm.wake();
  }

  function advanceTo(revision: Revision): void {
    target = revision;
    work ??= followOn().finally(() => {
      work = undefined;
    });
  }

  /** Applies the target, and renews the lease on it at once, because a change waits for that. */
  async function followOn(): Promise<void> {
    try {
      while (target !== undefined && !isStopped) {
        const { n } = follower.revision;
        const aim = target;
        // Skip an older target: it is from an instance that is behind the previous one.
        if (aim.n >= n) await follower.advanceTo(aim);
        if (target === aim) target = undefined;
        if (current !== undefined && !isStopped && follower.revision.n !== n) renew(current);
      }
    } catch (error) {
      if (error instanceof HistoryLost) lease.drop();
      fail(error);
    }
  }

  /** When the answer to the oldest request is overdue; Infinity if no request waits. */
  function overdueAt({ pending }: Channel): number {
    const [oldest] = pending.values();
    return (oldest?.monotonic ?? Number.POSITIVE_INFINITY) + answerTimeoutMilliseconds;
  }

  function checkChannel(channel: Channel): void {
    const at = lease.now().monotonic;
    const isLeft = isRefused && at - channel.grantedAt > answerTimeoutMilliseconds;
    if (at >= overdueAt(channel)) end(channel, new Error('Portcullis does not answer.'));
    else if (isLeft)
      end(channel, new Error('Portcullis gives no lease now: it has none itself, or is behind.'));
    else if (at >= askAt) {
      // Retry after a failure.
      if (target !== undefined) advanceTo(target);
      renew(channel);
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
        else checkChannel(current);
      }
    }
  }

  /** Waits for the first lease. */
  function whenLeased(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    tellJoined = (failure) => (failure === undefined ? resolve() : reject(failure));
    const cancel = setTimer(
      () => reject(new Error('Portcullis gives no lease now.')),
      joinTimeoutMilliseconds,
    );
    return promise.finally(() => {
      cancel();
      tellJoined = () => {};
    });
  }

  return {
    async join() {
      await follower.advanceTo({ n: 0, mark: '' });
      const leased = whenLeased();
      // If opening fails, `open` reports the error.
      leased.catch(() => {});
      await open();
      running = run();
      await leased;
      stopWatching = watchLease(lease, onLease, setTimer);
    },
    async leave() {
      isStopped = true;
      stopWatching();
      alarm.wake();
      lease.drop();
      for (const channel of [current, departing]) {
        channel?.connection.send({ kind: 'release' });
        channel?.connection.close();
      }
      await Promise.all([running, work]);
    },
  };
}
