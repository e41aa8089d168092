// How often a password may be guessed. An attempt takes its guess before the password is looked at, so that attempts at
// the same time cannot share one; while as many are being verified as may still fail, it waits for its turn.
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
import { UnansweredAttempt } from './unanswered-guess.ts';

/** An attempt to log in, as far as it decides how often it may be made. */
export interface LoginAttemptKey {
  readonly username: string;
  /** IPv4 address or IPv6 /64. */
  readonly network: string;
  /** Its id; a new one where the browser has none yet. */
  readonly device: string;
  /** Whether it came back: somebody has logged in on it before. */
  readonly isKnownDevice: boolean;
  /** Whether the name is one of a directory: it may be another person's here, so that a right password forgets nothing. */
  readonly isForeignName?: boolean;
}

/** A guess that was admitted. Whoever stores its session can settle it in the same packet. */
export interface Admission<T = unknown> {
  /** What was read along, and how long the statement took. */
  readonly prefetched: { readonly result: T | undefined; readonly milliseconds: number };
  settleBySession(jti: string): Settlement;
  isSettled: boolean;
  /**
   * Keeps the guess taken until the result is called, which counts it as wrong. Given back before, it would tell attempts that
   * wait for it how long the verification took. Where the process ends meanwhile, it counts as wrong all the same.
   */
  keepAsWrong(): () => Promise<void>;
}

export interface Throttle {
  /** Runs `verify` where the guess is admitted, with what was read along then, and keeps count of how it ended. */
  attempt<T extends object, Read>(
    guess: LoginAttemptKey,
    verify: (admitted: Admission<Read>) => Promise<T>,
    prefetched?: Prefetched<Read>,
  ): Promise<T>;
  /**
   * The same for what a signed-in person proves about themselves: counted per person, apart from the guesses of others.
   * Passwords and codes have a counter each, so that a right one of the one kind forgets no wrong ones of the other.
   */
  attemptOwn<T extends object>(
    { userId, proof }: { readonly userId: number; readonly proof: 'password' | 'code' },
    verify: () => Promise<T>,
  ): Promise<T>;
  /**
   * A caller guesses the password that a name has at a directory. It counts for the name as an attempt to log in does, and for
   * the caller in a counter that nothing else uses. A right one forgets nothing.
   */
  attemptByCaller<T extends object>(
    userId: number,
    guess: LoginAttemptKey,
    verify: () => Promise<T>,
  ): Promise<T>;
  /** Opens an account again that too many guesses had closed. */
  forgive(username: string): Promise<void>;
}

interface ThrottleOptions {
  readonly store: ThrottleStore;
  /** Of the HMAC that stands for names and networks. */
  readonly key: KeyObject;
  readonly monotonic: () => number;
}

/** Longer than a verification waits and takes. */
const patienceMilliseconds = 3000;
const firstPauseMilliseconds = 10;
const longestPauseMilliseconds = 160;

export function createThrottle({ store, key, monotonic }: ThrottleOptions): Throttle {
  const lines = new Map<string, Promise<unknown>>();

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

  /** Attempts on one account from one network or device ask one after the other, so that only the first in line asks again. */
  async function inLine<T>(line: string, work: () => Promise<T>): Promise<T> {
    const turn = (lines.get(line) ?? Promise.resolve()).then(work, work);
    lines.set(line, turn);
    try {
      return await turn;
    } finally {
      if (lines.get(line) === turn) lines.delete(line);
    }
  }

  function ownKeysOf(userId: number, counter: string): ThrottleKeys {
    const own = (kind: string) => keyOf(key, `own ${counter}${kind}`, String(userId));
    return { pair: own('pair'), network: own('network'), account: own('account'), device: own('device') };
  }

  async function run<T extends object, Read>(
    keys: ThrottleKeys,
    line: Buffer,
    verify: (admitted: Admission<Read>) => Promise<T>,
    {
      prefetched,
      right = 'success',
    }: { prefetched?: Prefetched<Read> | undefined; right?: 'success' | 'unverified' } = {},
  ): Promise<T> {
    const giveUpAt = monotonic() + patienceMilliseconds;
    const { byDevice, ...read } = await inLine(line.toString('base64'), () =>
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

  const attempt: Throttle['attempt'] = (guess, verify, prefetched) => {
    const keys = keysOf(guess);
    const line = guess.isKnownDevice ? keys.device : keys.pair;
    return run(keys, line, verify, { prefetched, right: guess.isForeignName ? 'unverified' : 'success' });
  };

  return {
    attempt,
    attemptOwn({ userId, proof }, verify) {
      const keys = ownKeysOf(userId, proof === 'password' ? '' : 'code ');
      return run(keys, keys.pair, verify);
    },
    attemptByCaller(userId, guess, verify) {
      const own = ownKeysOf(userId, 'directory ');
      const counted = () => attempt({ ...guess, isForeignName: true }, verify);
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
