// Brute-force protection: limits the failed attempts at passwords and codes. An attempt is reserved before its password is
// verified, so that parallel attempts cannot share one. While as many are being verified as failures are left, it waits.
import { createHmac, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@portcullis/contract';
import { canonicalUsername } from '../../../base/values/canonical-username.ts';
import type {
  AttemptOutcome,
  Prefetched,
  Settlement,
  ThrottleKeys,
  ThrottleStore,
} from './throttle-store.ts';
import { UnansweredAttempt } from './unanswered-attempt.ts';

/** The parts of a login attempt that select its counters. */
export interface LoginAttemptKey {
  readonly username: string;
  /** IPv4 address or IPv6 /64. */
  readonly network: string;
  /** The device id; a new one if the browser has none yet. */
  readonly device: string;
  /** Whether the request carried the device cookie: an account has logged in on the device before. */
  readonly isKnownDevice: boolean;
  /**
   * Whether the name belongs to a directory. The local account can belong to another person, so a right password resets no
   * counter.
   */
  readonly isForeignName?: boolean;
}

/** An admitted attempt. The insert of its session can settle it in the same network packet. */
export interface Admission<T = unknown> {
  /** The row that the statement also read, and the time that the statement took. */
  readonly prefetched: { readonly result: T | undefined; readonly milliseconds: number };
  settleBySession(jti: string): Settlement;
  isSettled: boolean;
  /**
   * Keeps the attempt reserved until the returned function is called, which counts it as wrong. Settled earlier, it would reveal
   * to waiting attempts how long the verification took. If the process ends in the meantime, it counts as wrong too.
   */
  keepAsWrong(): () => Promise<void>;
}

export interface Throttle {
  /** Runs `verify` if the attempt is admitted, with the row that was read with it, and counts the outcome. */
  attempt<T extends object, Read>(
    attemptKey: LoginAttemptKey,
    verify: (admitted: Admission<Read>) => Promise<T>,
    prefetched?: Prefetched<Read>,
  ): Promise<T>;
  /**
   * The same for a proof that a signed-in person gives for the own account. It is counted per person, separately from login
   * attempts. Passwords and codes have separate counters, so that a right one of one kind resets no failures of the other.
   */
  attemptOwn<T extends object>(
    { userId, proof }: { readonly userId: number; readonly proof: 'password' | 'code' },
    verify: () => Promise<T>,
  ): Promise<T>;
  /**
   * The same for a signed-in caller who sends the password of a directory name. It counts for the name like a login attempt, and
   * for the caller in a separate counter. A right password resets neither.
   */
  attemptByCaller<T extends object>(
    userId: number,
    attemptKey: LoginAttemptKey,
    verify: () => Promise<T>,
  ): Promise<T>;
  /** Unlocks an account that too many failed attempts have locked. */
  forgive(username: string): Promise<void>;
}

interface ThrottleOptions {
  readonly store: ThrottleStore;
  /** The HMAC key that hides names and networks. */
  readonly key: KeyObject;
  readonly monotonic: () => number;
}

/** Longer than a verification takes, including its wait. */
const patienceMilliseconds = 3000;
const firstPauseMilliseconds = 10;
const longestPauseMilliseconds = 160;

export function createThrottle({ store, key, monotonic }: ThrottleOptions): Throttle {
  const queues = new Map<string, Promise<unknown>>();

  const accountKey = (username: string) => keyOf(key, 'account', canonicalUsername(username));
  function keysOf({ username, network, device }: LoginAttemptKey): ThrottleKeys {
    return {
      pair: keyOf(key, 'pair', JSON.stringify([canonicalUsername(username), network])),
      network: networkKey(key, network),
      account: accountKey(username),
      device: keyOf(key, 'device', JSON.stringify([canonicalUsername(username), device])),
    };
  }

  async function admit<Read>(keys: ThrottleKeys, giveUpAt: number, prefetched: Prefetched<Read> | undefined) {
    for (let pause = firstPauseMilliseconds; ; pause = Math.min(2 * pause, longestPauseMilliseconds)) {
      const askedAt = monotonic();
      const answer = await store.admit(keys, prefetched);
      if (answer.verdict === 'admitted')
        return {
          byDevice: answer.byDevice,
          prefetched: { result: answer.prefetched, milliseconds: monotonic() - askedAt },
        };
      if (answer.verdict === 'refused')
        throw new AppError('rate_limited', { retryAfterSeconds: Math.max(1, Math.ceil(answer.waitSeconds)) });
      if (monotonic() + pause > giveUpAt) throw new AppError('rate_limited', { retryAfterSeconds: 1 });
      await sleep(pause);
    }
  }

  /**
   * Attempts at one account from one network or device query one after the other, so that only the first in the queue
   * retries.
   */
  async function inQueue<T>(queue: string, work: () => Promise<T>): Promise<T> {
    const queued = (queues.get(queue) ?? Promise.resolve()).then(work, work);
    queues.set(queue, queued);
    try {
      return await queued;
    } finally {
      if (queues.get(queue) === queued) queues.delete(queue);
    }
  }

  function ownKeysOf(userId: number, counter: string): ThrottleKeys {
    const own = (kind: string) => keyOf(key, `own ${counter}${kind}`, String(userId));
    return { pair: own('pair'), network: own('network'), account: own('account'), device: own('device') };
  }

  async function run<T extends object, Read>(
    keys: ThrottleKeys,
    queue: Buffer,
    verify: (admitted: Admission<Read>) => Promise<T>,
    {
      prefetched,
      right = 'success',
    }: { prefetched?: Prefetched<Read> | undefined; right?: 'success' | 'unverified' } = {},
  ): Promise<T> {
    const giveUpAt = monotonic() + patienceMilliseconds;
    const { byDevice, ...read } = await inQueue(queue.toString('base64'), () =>
      admit(keys, giveUpAt, prefetched),
    );
    const admitted: Admission<Read> = {
      ...read,
      settleBySession: (jti) => store.settleBySession(keys, jti, byDevice),
      isSettled: false,
      keepAsWrong() {
        admitted.isSettled = true;
        return () => store.settle(keys, 'failure', byDevice);
      },
    };
    let outcome: AttemptOutcome = 'unverified';
    try {
      const verification = await verify(admitted);
      outcome = 'refused' in verification ? 'failure' : right;
      return verification;
    } catch (error) {
      if (error instanceof UnansweredAttempt) outcome = 'unanswered';
      throw error;
    } finally {
      if (!admitted.isSettled) await store.settle(keys, outcome, byDevice);
    }
  }

  const attempt: Throttle['attempt'] = (attemptKey, verify, prefetched) => {
    const keys = keysOf(attemptKey);
    const queue = attemptKey.isKnownDevice ? keys.device : keys.pair;
    return run(keys, queue, verify, {
      prefetched,
      right: attemptKey.isForeignName ? 'unverified' : 'success',
    });
  };

  return {
    attempt,
    attemptOwn({ userId, proof }, verify) {
      const keys = ownKeysOf(userId, proof === 'password' ? '' : 'code ');
      return run(keys, keys.pair, verify);
    },
    attemptByCaller(userId, attemptKey, verify) {
      const own = ownKeysOf(userId, 'directory ');
      const counted = () => attempt({ ...attemptKey, isForeignName: true }, verify);
      return run(own, own.pair, counted, { right: 'unverified' });
    },
    forgive: (username) => store.forgive(accountKey(username)),
  };
}

export function networkKey(key: KeyObject, network: string): Buffer {
  return keyOf(key, 'network', network);
}

function keyOf(key: KeyObject, kind: string, text: string): Buffer {
  return createHmac('sha256', key).update(`${kind}:${text}`).digest().subarray(0, 16);
}
