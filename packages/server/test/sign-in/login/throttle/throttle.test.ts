import { createSecretKey } from 'node:crypto';
import { AppError } from '@portcullis/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Admission, createThrottle } from '../../../../src/sign-in/login/throttle/throttle.ts';
import type {
  ThrottleKeys,
  ThrottleStore,
  Verdict,
} from '../../../../src/sign-in/login/throttle/throttle-store.ts';
import { UnansweredAttempt } from '../../../../src/sign-in/login/throttle/unanswered-attempt.ts';

/** A store that gives these verdicts in turn, the last one for ever, and writes down what it is asked. */
function createWorld(verdicts: Verdict[], { settle = async () => {} }: Partial<ThrottleStore> = {}) {
  const asked: ThrottleKeys[] = [];
  const outcomes: string[] = [];
  const forgiven: Buffer[] = [];
  let now = 0;
  const throttle = createThrottle({
    store: {
      admit: async (keys) => {
        asked.push(keys);
        return ((verdicts.length > 1 ? verdicts.shift() : verdicts[0]) ?? { verdict: 'busy' }) as never;
      },
      settle: async (keys, outcome, byDevice) => {
        outcomes.push(byDevice ? `${outcome} by device` : outcome);
        await settle(keys, outcome, byDevice);
      },
      settleBySession: (_keys, jti) => sql`${jti}`,
      forgive: async (account) => void forgiven.push(account),
      listKnownNetworks: async () => [],
      sweep: async () => {},
    },
    key: createSecretKey(Buffer.alloc(32, 7)),
    monotonic: () => {
      now += 200;
      return now;
    },
  });
  return { throttle, asked, outcomes, forgiven };
}

const guess = { username: 'mei', network: '192.0.2.1', device: 'desk', isKnownDevice: false };
const admitted: Verdict = { verdict: 'admitted', byDevice: false };
const fine = async () => ({ account: 'mei' });

describe('an attempt', () => {
  it('that is kept counts as wrong when it is given back, and not before', async () => {
    const { throttle, outcomes } = createWorld([admitted]);
    const kept: (() => Promise<void>)[] = [];
    await throttle.attempt(guess, async (given) => {
      kept.push(given.keepAsWrong());
      return { refused: 'credentials_wrong' };
    });
    expect(outcomes).toEqual([]);
    await kept[0]?.();
    expect(outcomes).toEqual(['failure']);
  });

  it.each([
    [0.2, 1],
    [59.1, 60],
    [86_400, 86_400],
  ])(
    'that is refused for %d s gets a retry time of %d s, and verifies nothing',
    async (waitSeconds, told) => {
      const { throttle, outcomes } = createWorld([{ verdict: 'refused', waitSeconds }]);
      const verify = () => Promise.reject(new Error('verified'));
      await expect(throttle.attempt(guess, verify)).rejects.toMatchObject({
        kind: 'rate_limited',
        retryAfterSeconds: told,
      });
      expect(outcomes).toEqual([]);
    },
  );

  it('that finds the others busy for too long gives up', async () => {
    const { throttle, outcomes } = createWorld([{ verdict: 'busy' }]);
    await expect(throttle.attempt(guess, fine)).rejects.toMatchObject({ kind: 'rate_limited' });
    expect(outcomes).toEqual([]);
  });

  it('that finds the others busy asks again until it is admitted', async () => {
    const { throttle, asked } = createWorld([{ verdict: 'busy' }, { verdict: 'busy' }, admitted]);
    expect(await throttle.attempt(guess, fine)).toEqual({ account: 'mei' });
    expect(asked).toHaveLength(3);
  });

  it.each([
    ['success', fine],
    ['failure', async () => ({ refused: 'credentials_wrong' })],
    ['failure', async () => ({ refused: 'user_disabled' })],
    ['unverified', () => Promise.reject(new AppError('rate_limited'))],
  ])('counts as %s by how the verification ended', async (outcome, verify: () => Promise<object>) => {
    const { throttle, outcomes } = createWorld([admitted]);
    await throttle.attempt(guess, verify).catch(() => {});
    expect(outcomes).toEqual([outcome]);
  });

  it('that is admitted verifies with what was read along, and with how long that took', async () => {
    const { throttle } = createWorld([{ ...admitted, prefetched: 17 }]);
    const prefetched = { query: sql`select 17`, read: () => 17 };
    const verify = async (guessed: Admission<number>) => guessed.prefetched;
    expect(await throttle.attempt(guess, verify, prefetched)).toEqual({ result: 17, milliseconds: 200 });
  });

  it('that was settled with its session is not settled again', async () => {
    const { throttle, outcomes } = createWorld([admitted]);
    const verify = async (guessed: Admission) => {
      guessed.isSettled = true;
      return { account: 'mei' };
    };
    expect(await throttle.attempt(guess, verify)).toEqual({ account: 'mei' });
    expect(outcomes).toEqual([]);
  });

  it('that cannot be settled is no success', async () => {
    const settle = () => Promise.reject(new Error('away'));
    const { throttle } = createWorld([admitted], { settle });
    await expect(throttle.attempt(guess, fine)).rejects.toThrow('away');
  });
});

describe('the keys', () => {
  async function keysOf(username: string, network: string): Promise<string[]> {
    const { throttle, asked } = createWorld([admitted]);
    await throttle.attempt({ ...guess, username, network }, fine);
    const [keys] = asked;
    return [keys?.pair, keys?.network, keys?.account].map((key) => key?.toString('hex') ?? '');
  }

  it('of a device are for one account, by any spelling', async () => {
    const deviceOf = async (username: string, device: string) => {
      const { throttle, asked } = createWorld([admitted]);
      await throttle.attempt({ ...guess, username, device }, fine);
      return asked[0]?.device.toString('hex');
    };
    expect(await deviceOf('mei', 'desk')).toMatch(/^[0-9a-f]{32}$/);
    expect(await deviceOf('MEI', 'desk')).toBe(await deviceOf('mei', 'desk'));
    expect(await deviceOf('ada', 'desk')).not.toBe(await deviceOf('mei', 'desk'));
    expect(await deviceOf('mei', 'phone')).not.toBe(await deviceOf('mei', 'desk'));
  });

  it('of the own password are those of the person, and none of a login', async () => {
    const { throttle, asked } = createWorld([admitted]);
    await throttle.attemptOwn({ userId: 7, proof: 'password' }, fine);
    await throttle.attemptOwn({ userId: 7, proof: 'password' }, fine);
    await throttle.attemptOwn({ userId: 8, proof: 'password' }, fine);
    await throttle.attempt({ ...guess, username: '7', network: '7', device: '7' }, fine);
    const [own, again, other, login] = asked.map((keys) =>
      Object.values(keys).map((key) => key.toString('hex')),
    );
    expect(again).toEqual(own);
    const all = [...(own ?? []), ...(other ?? []), ...(login ?? [])];
    expect(new Set(all).size).toBe(12);
  });

  it('of the own password, of the own codes and of attempts at a directory are separate counters', async () => {
    const { throttle, asked } = createWorld([admitted]);
    await throttle.attemptOwn({ userId: 7, proof: 'password' }, fine);
    await throttle.attemptOwn({ userId: 7, proof: 'code' }, fine);
    await throttle.attemptByCaller(7, guess, fine);
    await throttle.attempt(guess, fine);
    const [password, code, directory, name, login] = asked.map((keys) =>
      Object.values(keys).map((key) => key.toString('hex')),
    );
    expect(name).toEqual(login);
    const all = [password, code, directory, name].flatMap((keys) => keys ?? []);
    expect(new Set(all).size).toBe(16);
  });

  it('show no name and no network', async () => {
    for (const key of await keysOf('mei', '192.0.2.1')) expect(key).toMatch(/^[0-9a-f]{32}$/);
  });

  it('are the same for all spellings of a name', async () => {
    expect(await keysOf('MEI', '192.0.2.1')).toEqual(await keysOf('mei', '192.0.2.1'));
  });

  it('differ by name and by network, each where it counts', async () => {
    const [pair, network, account] = await keysOf('mei', '192.0.2.1');
    expect(await keysOf('mei', '192.0.2.2')).toEqual([
      expect.not.stringContaining(String(pair)),
      expect.not.stringContaining(String(network)),
      account,
    ]);
    expect(await keysOf('ada', '192.0.2.1')).toEqual([
      expect.not.stringContaining(String(pair)),
      network,
      expect.not.stringContaining(String(account)),
    ]);
  });
});

describe('an attempt that a directory does not answer', () => {
  it.each([
    [
      'counts as unanswered where the password was sent',
      new UnansweredAttempt('provider_unavailable'),
      'unanswered',
    ],
    ['counts for nothing where no password was sent', new AppError('provider_unavailable'), 'unverified'],
  ])('%s', async (_what, error, outcome) => {
    const { throttle, outcomes } = createWorld([admitted]);
    const verify = () => Promise.reject(error);
    await expect(throttle.attempt(guess, verify)).rejects.toMatchObject({ kind: 'provider_unavailable' });
    await expect(throttle.attemptByCaller(7, guess, verify)).rejects.toMatchObject({
      kind: 'provider_unavailable',
    });
    expect(outcomes).toEqual([outcome, outcome, outcome]);
  });
});

describe('an attempt of a caller at a directory', () => {
  it('counts as failed for the name and for the caller', async () => {
    const { throttle, outcomes } = createWorld([admitted]);
    await throttle.attemptByCaller(7, guess, async () => ({ refused: 'credentials_wrong' }));
    expect(outcomes).toEqual(['failure', 'failure']);
  });

  it('forgets nothing where it is right', async () => {
    const { throttle, outcomes } = createWorld([admitted]);
    await throttle.attemptByCaller(7, guess, fine);
    expect(outcomes).toEqual(['unverified', 'unverified']);
  });

  it('verifies nothing where the name is refused, and does not count for the caller', async () => {
    const { throttle, outcomes } = createWorld([admitted, { verdict: 'refused', waitSeconds: 5 }]);
    const verify = () => Promise.reject(new Error('verified'));
    await expect(throttle.attemptByCaller(7, guess, verify)).rejects.toMatchObject({ kind: 'rate_limited' });
    expect(outcomes).toEqual(['unverified']);
  });

  it('is deleted with the failed logins of the name, as after an erasure', async () => {
    const { throttle, asked, forgiven } = createWorld([admitted]);
    await throttle.attemptByCaller(7, guess, fine);
    await throttle.forgive('MEI');
    expect(forgiven).toEqual([asked[1]?.account]);
  });

  it('does not count for the name where the caller is refused', async () => {
    const { throttle, asked } = createWorld([{ verdict: 'refused', waitSeconds: 5 }]);
    await expect(throttle.attemptByCaller(7, guess, fine)).rejects.toMatchObject({ kind: 'rate_limited' });
    expect(asked).toHaveLength(1);
  });
});

it('a right password of a name that may be another person’s here forgets nothing', async () => {
  const { throttle, outcomes } = createWorld([admitted]);
  await throttle.attempt({ ...guess, isForeignName: true }, fine);
  expect(outcomes).toEqual(['unverified']);
});

it('settles an attempt that was admitted by its device under that device', async () => {
  const { throttle, outcomes } = createWorld([{ verdict: 'admitted', byDevice: true }]);
  await throttle.attempt(guess, fine);
  expect(outcomes).toEqual(['success by device']);
});

it('a known device does not wait in the queue after attempts from its network', async () => {
  const { promise: never } = Promise.withResolvers<Verdict>();
  let asked = 0;
  const throttle = createThrottle({
    store: {
      admit: async () => {
        asked += 1;
        return (asked === 1 ? await never : admitted) as never;
      },
      settle: async () => {},
      settleBySession: (_keys, jti) => sql`${jti}`,
      forgive: async () => {},
      listKnownNetworks: async () => [],
      sweep: async () => {},
    },
    key: createSecretKey(Buffer.alloc(32, 7)),
    monotonic: () => 0,
  });
  void throttle.attempt(guess, fine);
  let isIn = false;
  void throttle.attempt({ ...guess, isKnownDevice: true }, fine).then(() => {
    isIn = true;
  });
  await new Promise(setImmediate);
  expect(isIn).toBe(true);
});

it('runs attempts on one account from one network one after the other', async () => {
  let asking = 0;
  let most = 0;
  const { throttle } = createWorld([admitted]);
  const slow = createThrottle({
    store: {
      admit: async () => {
        asking += 1;
        most = Math.max(most, asking);
        await new Promise(setImmediate);
        asking -= 1;
        return admitted as never;
      },
      settle: async () => {},
      settleBySession: (_keys, jti) => sql`${jti}`,
      forgive: async () => {},
      listKnownNetworks: async () => [],
      sweep: async () => {},
    },
    key: createSecretKey(Buffer.alloc(32, 7)),
    monotonic: () => 0,
  });
  await Promise.all(Array.from({ length: 20 }, () => slow.attempt(guess, fine)));
  expect(most).toBe(1);
  expect(await throttle.attempt(guess, fine)).toBeDefined();
});
