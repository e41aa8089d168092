// Part of the composition root: the login and its parts, some of which are refreshed, swept and closed.
import { createSecretKey, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, AppError, type Call, type Caller } from '@portcullis/contract';
import { createQueueCounts, type QueueCounts } from '../base/ops/queue-counts.ts';
import { traced } from '../base/ops/trace.ts';
import type { Config } from '../base/settings/config.ts';
import type { Store } from '../cluster/store/store.ts';
import { RequestContext } from '../http/request-context.ts';
import {
  findAccount,
  findHighestImportedCost,
  replaceHash,
  selectAccount,
} from '../people/users/user-store.ts';
import { attemptKeyOf } from '../sign-in/login/attempt-key.ts';
import { createCaptcha } from '../sign-in/login/captcha/captcha.ts';
import { createCaptchaStock } from '../sign-in/login/captcha/captcha-stock.ts';
import { createCaptchaStore } from '../sign-in/login/captcha/captcha-store.ts';
import { createDrawingThread } from '../sign-in/login/captcha/drawing-thread.ts';
import { createBcrypt } from '../sign-in/login/credentials/bcrypt.ts';
import { createCallerHashes } from '../sign-in/login/credentials/caller-hashes.ts';
import type { CredentialVerifier } from '../sign-in/login/credentials/credential-verifier.ts';
import { createHashPool, type HashPool } from '../sign-in/login/credentials/hash-pool.ts';
import { createPasswordHashes } from '../sign-in/login/credentials/password-hashes.ts';
import { createPasswordVerifier } from '../sign-in/login/credentials/password-verifier.ts';
import { createRefusalDeadline } from '../sign-in/login/credentials/refusal-deadline.ts';
import { createRefusalTime } from '../sign-in/login/credentials/refusal-time.ts';
import { createDeviceCookie } from '../sign-in/login/device-cookie.ts';
import { createLoginFlowStore } from '../sign-in/login/login-flow-store.ts';
import { createLoginFlows } from '../sign-in/login/login-flows.ts';
import { createPasswordMethod } from '../sign-in/login/method.ts';
import { createKnownNetworks } from '../sign-in/login/throttle/known-networks.ts';
import {
  createLoginConcurrencyLimit,
  type LoginConcurrencyLimit,
} from '../sign-in/login/throttle/login-concurrency-limit.ts';
import { createThrottle, type Throttle } from '../sign-in/login/throttle/throttle.ts';
import { createThrottleStore, type ThrottleStore } from '../sign-in/login/throttle/throttle-store.ts';
import { directoryLoginMilliseconds } from '../sign-in/providers/ldap/login-limit.ts';

/** As many as are hashed in the second that a login waits at most for its hash. */
const slotsPerHash = 32;

export type LoginParts = ReturnType<typeof composeLogin>;

export function composeLogin(store: Store, config: Config, credentials: CredentialVerifier | undefined) {
  const monotonic = () => performance.now();
  const { concurrency } = config.hash;
  const key = createSecretKey(config.masterKey.throttle);
  const captchas = createCaptchaStore(store);
  const flows = createLoginFlowStore(store);
  let throttleRefusals = 0;
  const throttles = countRefusals(createThrottleStore(store, config.throttle), () => {
    throttleRefusals += 1;
  });
  const knownNetworks = createKnownNetworks(throttles, key);
  const bcrypt = createBcrypt();
  const hashes = createPasswordHashes({ cost: config.hash, matchesBcrypt: bcrypt.matches, randomBytes });
  const hashQueue = createQueueCounts();
  const pool = watchPool(createHashPool(concurrency), hashQueue);
  const findHighestCost = () => findHighestImportedCost(store);
  const refusalTime = createRefusalTime({
    findHighestCost,
    compare: (stored) => hashes.matches('', stored),
    monotonic,
  });
  const passwords = createPasswordVerifier({
    findAccount: (username) => findAccount(store, username),
    replaceHash: (...change) => replaceHash(store, ...change),
    hashes,
    pool,
    refusalTime,
    monotonic,
  });
  const slotQueue = createQueueCounts();
  const slots = watchSlots(createLoginConcurrencyLimit(slotsPerHash * concurrency), slotQueue);
  const throttle = createThrottle({ store: throttles, key, monotonic });

  const drawing = createDrawingThread(config.captchaMargin);
  const captcha = createCaptcha({
    store: captchas,
    stock: createCaptchaStock({ draw: drawing.draw, randomBytes }),
    key: config.masterKey.captcha,
    randomBytes,
  });
  const deviceCookie = createDeviceCookie({ secure: config.cookie.secure, key, randomBytes });
  const hashPassword = (password: string) => pool.runLast(() => hashes.hash(password));

  /**
   * Verifies the password of a person who is already logged in, and counts failures apart from those of other clients. It opens no
   * session, so people who have a password here confirm changes with it also when a provider decides about the account.
   */
  async function verifyPassword(
    { userId }: Pick<Caller, 'userId'>,
    username: string,
    password: string,
  ): Promise<Account | undefined> {
    const from = { network: `person ${userId}`, isKnownNetwork: true, isOnePerson: true } as const;
    const verification = await slots.run(from, () =>
      throttle.attemptOwn({ userId, proof: 'password' }, async () => {
        const verified = await passwords.verify({ username, password }, from);
        const { account } = verified;
        const isRight = 'refused' in verified && verified.refused === 'provider_login_required';
        return isRight && account !== undefined ? { account } : verified;
      }),
    );
    return 'refused' in verification ? undefined : verification.account;
  }

  /** Checks the captcha as a login does, for other calls without authentication. */
  async function checkCaptcha({ uuid, code }: { uuid?: string; code?: string }): Promise<void> {
    if (!config.captchaRequired) return;
    if (uuid === undefined || code === undefined) throw new AppError('captcha_missing');
    if (!(await captcha.isSolvedBy(uuid, code))) throw new AppError('captcha_wrong');
  }

  /** The device of a request; undefined when no login has succeeded on it before. */
  const findDevice = (call: object) =>
    call instanceof RequestContext ? deviceCookie.read(call.headers.cookie) : undefined;

  return {
    checkCaptcha,
    findDevice,
    attemptKeyOf(call: Pick<Call, 'ip'>, username: string) {
      const device = findDevice(call);
      return attemptKeyOf(username, deviceCookie.next(device, username), { ip: call.ip, device });
    },
    captchaRequired: config.captchaRequired,
    captcha: { ...captcha, isSolvedBy: traced('login captcha', captcha.isSolvedBy) },
    selectAccount,
    knownNetworks,
    slots,
    refusals: createRefusalDeadline({
      limitMilliseconds: directoryLoginMilliseconds,
      refusalTime,
      monotonic,
      sleep,
    }),
    throttle: traceThrottle(throttle),
    deviceCookie,
    verifyPassword,
    passwordMethod: createPasswordMethod(credentials ?? passwords, {
      readsAccount: credentials === undefined,
    }),
    flows: createLoginFlows({ store: flows, randomBytes }),
    hashPassword,
    hashes: createCallerHashes({
      hash: hashPassword,
      perMinute: config.limit.passwordsSetPerMinute,
      now: Date.now,
    }),
    status: () => ({ hashes: hashQueue, slots: slotQueue, throttleRefusals }),
    /** Loads what the other instances and the imports have changed. */
    async refresh() {
      await Promise.all([knownNetworks.refresh(), refusalTime.refresh()]);
    },
    sweepCaptchas: captchas.sweep,
    sweepFlows: flows.sweep,
    sweepThrottle: throttles.sweep,
    close: async () => void (await Promise.all([bcrypt.close(), drawing.close()])),
  };
}

function countRefusals(store: ThrottleStore, count: () => void): ThrottleStore {
  return {
    ...store,
    async admit(keys, prefetched) {
      const answer = await store.admit(keys, prefetched);
      if (answer.verdict === 'refused') count();
      return answer;
    },
  };
}

function watchPool(pool: HashPool, queue: QueueCounts): HashPool {
  return {
    run: (job, isUrgent) => queue.watch((start) => pool.run(start, isUrgent), job),
    runLast: (job) => queue.watch(pool.runLast, job),
  };
}

function watchSlots(slots: LoginConcurrencyLimit, queue: QueueCounts): LoginConcurrencyLimit {
  return { run: (from, work) => queue.watch((start) => slots.run(from, start), work) };
}

function traceThrottle(throttle: Throttle): Throttle {
  return {
    ...throttle,
    attempt: (...attempt) => traced('login throttle', () => throttle.attempt(...attempt))(),
  };
}
