// What any store of the throttle must hold; run on the one there is.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createThrottleStore,
  type ThrottleKeys,
  type ThrottleStore,
} from '../../../../src/sign-in/login/throttle/throttle-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../fresh-database.ts';

let database: FreshDatabase;
let throttle: ThrottleStore;
beforeAll(async () => {
  database = await createFreshDatabase({ poolSize: 10 });
  throttle = createThrottleStore(database.store, {
    failuresBeforeDelay: 5,
    networkFailuresPerMinute: 20,
    accountFailures: 30,
  });
});
afterAll(() => database.drop());

const key = () => randomBytes(16);
const newKeys = (): ThrottleKeys => ({ pair: key(), network: key(), account: key(), device: key() });
const admitted = { verdict: 'admitted', byDevice: false };
const busy = { verdict: 'busy' };
let begunAt: number;
beforeEach(() => {
  begunAt = performance.now();
});

/** The wait is shorter by the time that has really gone by, and by no more; over where that is longer. */
async function expectRefused(keys: ThrottleKeys, seconds: number, message?: string): Promise<void> {
  const answer = await throttle.admit(keys);
  const waitSeconds = answer.verdict === 'refused' ? answer.waitSeconds : Number.NaN;
  const sinceSeconds = (performance.now() - begunAt) / 1000;
  if (answer.verdict === 'admitted' && sinceSeconds > seconds)
    return await throttle.settle(keys, 'unverified', false);
  expect(waitSeconds, message).toBeLessThan(seconds + 0.5);
  expect(waitSeconds, message).toBeGreaterThan(seconds - 0.5 - sinceSeconds);
}

async function fail(keys: ThrottleKeys, times = 1): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    expect(await throttle.admit(keys)).toEqual(admitted);
    await throttle.settle(keys, 'failure', false);
  }
}

/** On a device that is not seen again. */
async function succeed(keys: ThrottleKeys): Promise<void> {
  expect(await throttle.admit(keys)).toEqual(admitted);
  await throttle.settle({ ...keys, device: key() }, 'success', false);
}

/** As if so much time had gone by since everything that was written down. */
async function pass(interval: string): Promise<void> {
  await sql`update throttle set failed_at = failed_at - ${interval}::interval,
    lapses_at = lapses_at - ${interval}::interval, succeeded_at = succeeded_at - ${interval}::interval,
    touched_on = (touched_on - ${interval}::interval)::date`.execute(database.store);
  await sql`update devices set failed_at = failed_at - ${interval}::interval,
    lapses_at = lapses_at - ${interval}::interval, used_at = used_at - ${interval}::interval`.execute(
    database.store,
  );
}

describe('an attempt that a directory did not answer', () => {
  it('counts for the name, and for no other name of the network', async () => {
    const network = key();
    for (let n = 0; n < 30; n += 1) {
      const keys = { ...newKeys(), network };
      expect(await throttle.admit(keys)).toEqual(admitted);
      await throttle.settle(keys, 'unanswered', false);
    }
    expect(await throttle.admit({ ...newKeys(), network })).toEqual(admitted);
    const keys = newKeys();
    for (let n = 0; n < 5; n += 1) {
      expect(await throttle.admit(keys)).toEqual(admitted);
      await throttle.settle(keys, 'unanswered', false);
    }
    await expectRefused(keys, 5);
  });

  it('counts for the device on which the account is known', async () => {
    const keys = newKeys();
    expect(await throttle.admit(keys)).toEqual(admitted);
    await throttle.settle(keys, 'success', false);
    for (let n = 0; n < 5; n += 1) {
      expect(await throttle.admit(keys)).toEqual({ verdict: 'admitted', byDevice: true });
      await throttle.settle(keys, 'unanswered', true);
    }
    expect(await throttle.admit(keys)).not.toMatchObject({ byDevice: true });
  });
});

describe('a prefetched row', () => {
  const prefetched = { query: sql`select 17 as n`, read: ({ n }: { n: number }) => n };

  it('is not read where the attempt is not admitted', async () => {
    const keys = newKeys();
    await fail(keys, 5);
    const failing = { query: sql`select 1 / (select 0) as n`, read: prefetched.read };
    expect(await throttle.admit(keys, failing)).toMatchObject({ verdict: 'refused' });
    await pass('5 seconds');
    await expect(throttle.admit(keys, failing)).rejects.toThrow('division by zero');
  });

  it('is returned with an admitted attempt, and undefined where no row exists', async () => {
    expect(await throttle.admit(newKeys(), prefetched)).toEqual({ ...admitted, prefetched: 17 });
    const none = { query: sql`select 17 as n where false`, read: prefetched.read };
    expect(await throttle.admit(newKeys(), none)).toEqual(admitted);
  });
});

describe('an account from one network', () => {
  it('waits after 5 failures: 5 seconds, then twice as long each time, and 15 minutes at most', async () => {
    const keys = newKeys();
    await fail(keys, 5);
    for (const seconds of [5, 10, 20, 40, 80, 160, 320, 640, 900, 900]) {
      await expectRefused(keys, seconds);
      await pass(`${seconds} seconds`);
      await fail(keys);
    }
  });

  it('is admitted one at a time after its failures are used up', async () => {
    const keys = newKeys();
    await fail(keys, 5);
    await pass('5 seconds');
    expect(await throttle.admit(keys)).toEqual(admitted);
    expect(await throttle.admit(keys)).toEqual(busy);
  });

  it('counts an attempt without a result as if it had failed', async () => {
    const keys = newKeys();
    await fail(keys, 2);
    for (let count = 0; count < 3; count += 1) expect(await throttle.admit(keys)).toEqual(admitted);
    expect(await throttle.admit(keys)).toEqual(busy);
    await throttle.settle(keys, 'unverified', false);
    expect(await throttle.admit(keys)).toEqual(admitted);
  });

  it('admits 5 of 200 that come at once', async () => {
    const keys = newKeys();
    const verdicts = await Promise.all(Array.from({ length: 200 }, () => throttle.admit(keys)));
    expect(verdicts.filter(({ verdict }) => verdict === 'admitted')).toHaveLength(5);
    expect(verdicts.filter(({ verdict }) => verdict === 'busy')).toHaveLength(195);
  });

  it('counts an attempt without a result as failed after half a minute', async () => {
    const keys = newKeys();
    for (let count = 0; count < 5; count += 1) await throttle.admit(keys);
    await pass('10 seconds');
    expect(await throttle.admit(keys)).toEqual(busy);
    await pass('21 seconds');
    await expectRefused(keys, 5);
  });

  it('starts again after a success, and an hour after the last failure', async () => {
    const keys = newKeys();
    await fail(keys, 4);
    await succeed(keys);
    await fail(keys, 5);
    await pass('59 minutes');
    await fail(keys);
    await expectRefused(keys, 10);
    await pass('61 minutes');
    await fail(keys, 5);
    await expectRefused(keys, 5);
  });

  it('changes nothing for the account elsewhere, or for other accounts of the network', async () => {
    const keys = newKeys();
    await fail(keys, 5);
    await fail({ ...keys, pair: key(), network: key() });
    await fail({ ...keys, pair: key(), account: key() });
  });

  it('admits at most 20 attempts in any hour, however they are spread', async () => {
    const keys = newKeys();
    let guesses = 0;
    for (let second = 0; second < 3600; ) {
      const answer = await throttle.admit(keys);
      if (answer.verdict === 'admitted') {
        guesses += 1;
        await throttle.settle(keys, 'failure', false);
      }
      const wait = answer.verdict === 'refused' ? Math.ceil(answer.waitSeconds) : 0;
      await pass(`${wait} seconds`);
      second += wait;
    }
    expect(guesses).toBeLessThanOrEqual(20);
    expect(guesses).toBeGreaterThan(10);
  });
});

describe('a network', () => {
  const fromHere = (network: Buffer): ThrottleKeys => ({ ...newKeys(), network });

  it('has 20 failures a minute over all accounts, and then waits for the next minute', async () => {
    const network = key();
    for (let count = 0; count < 20; count += 1) await fail(fromHere(network));
    await expectRefused(fromHere(network), 60);
    await pass('40 seconds');
    await expectRefused(fromHere(network), 20);
    await pass('21 seconds');
    await fail(fromHere(network));
  });

  it('counts its minute from the first failure, not from the last', async () => {
    const network = key();
    await fail(fromHere(network));
    await pass('40 seconds');
    await fail(fromHere(network));
    await pass('21 seconds');
    for (let count = 0; count < 20; count += 1) await fail(fromHere(network));
  });

  it('admits 20 of 100 accounts that are tried at once', async () => {
    const network = key();
    const verdicts = await Promise.all(Array.from({ length: 100 }, () => throttle.admit(fromHere(network))));
    expect(verdicts.filter(({ verdict }) => verdict === 'admitted')).toHaveLength(20);
  });

  it('loses no budget by successes, however many', async () => {
    const network = key();
    for (let count = 0; count < 30; count += 1) await succeed(fromHere(network));
  });
});

describe('an account', () => {
  const elsewhere = (keys: ThrottleKeys): ThrottleKeys => ({ ...newKeys(), account: keys.account });

  it('that failed 30 times in a row is closed for a day to networks where it never logged in', async () => {
    const home = newKeys();
    await succeed(home);
    for (let count = 0; count < 30; count += 1) await fail(elsewhere(home));
    await expectRefused(elsewhere(home), 86_400);
    await succeed(home);
    await expectRefused(elsewhere(home), 86_400, 'after a login from home');
    await pass('25 hours');
    await succeed(elsewhere(home));
  });

  it('that is closed stays open to a network where it logged in, also after a failure there', async () => {
    const home = newKeys();
    await succeed(home);
    await fail(home);
    for (let count = 0; count < 29; count += 1) await fail(elsewhere(home));
    await expectRefused(elsewhere(home), 86_400);
    await succeed(home);
  });

  it('that is closed is refused at once, also where an attempt from the network is being verified', async () => {
    const here = newKeys();
    const known = { ...elsewhere(here), device: key() };
    expect(await throttle.admit(known)).toEqual(admitted);
    await throttle.settle(known, 'success', false);
    await fail(here, 4);
    expect(await throttle.admit(here)).toEqual(admitted);
    for (let count = 0; count < 25; count += 1) await fail(elsewhere(here));
    expect(await throttle.admit(known)).toEqual({ verdict: 'admitted', byDevice: true });
    await throttle.settle(known, 'failure', true);
    await expectRefused(here, 86_400);
  });

  it('keeps the place of an attempt while a login on a known device ends', async () => {
    const home = newKeys();
    expect(await throttle.admit(home)).toEqual(admitted);
    await throttle.settle(home, 'success', false);
    for (let count = 0; count < 29; count += 1) await fail(elsewhere(home));
    expect(await throttle.admit(elsewhere(home))).toEqual(admitted);
    expect(await throttle.admit(home)).toEqual({ verdict: 'admitted', byDevice: true });
    await throttle.settle(home, 'unverified', true);
    expect(await throttle.admit(elsewhere(home))).toEqual(busy);
  });

  it('that was closed is open to every client after an administrator opens it', async () => {
    const home = newKeys();
    for (let count = 0; count < 30; count += 1) await fail(elsewhere(home));
    await throttle.forgive(home.account);
    await succeed(elsewhere(home));
  });

  it('that does not exist is closed in the same way', async () => {
    const nobody = newKeys();
    for (let count = 0; count < 30; count += 1) await fail(elsewhere(nobody));
    await expectRefused(elsewhere(nobody), 86_400);
  });

  it('admits 30 of 100 networks that try it at once', async () => {
    const home = newKeys();
    const verdicts = await Promise.all(Array.from({ length: 100 }, () => throttle.admit(elsewhere(home))));
    expect(verdicts.filter(({ verdict }) => verdict === 'admitted')).toHaveLength(30);
  });

  it('counts from zero after a success', async () => {
    const home = newKeys();
    for (let count = 0; count < 29; count += 1) await fail(elsewhere(home));
    await succeed(home);
    for (let count = 0; count < 29; count += 1) await fail(elsewhere(home));
  });
});

describe('a device on which an account has logged in', () => {
  const byDevice = { verdict: 'admitted', byDevice: true };

  async function knownDevice(): Promise<ThrottleKeys> {
    const keys = newKeys();
    expect(await throttle.admit(keys)).toEqual(admitted);
    await throttle.settle(keys, 'success', false);
    return keys;
  }

  async function failOn(keys: ThrottleKeys, times: number): Promise<void> {
    for (let count = 0; count < times; count += 1) {
      expect(await throttle.admit(keys)).toEqual(byDevice);
      await throttle.settle(keys, 'failure', true);
    }
  }

  it('is for no other account: those attempts count for its network', async () => {
    const keys = await knownDevice();
    const other = { ...newKeys(), network: keys.network };
    await fail(other, 5);
    await expectRefused(other, 5);
  });

  it('has 5 failures, and then counts as unknown for an hour', async () => {
    const keys = await knownDevice();
    await failOn(keys, 5);
    await fail(keys, 5);
    await expectRefused(keys, 5);
    await pass('61 minutes');
    await failOn(keys, 5);
  });

  it('admits 5 of 100 concurrent attempts, and no other until their results are known', async () => {
    const keys = await knownDevice();
    const verdicts = await Promise.all(Array.from({ length: 100 }, () => throttle.admit(keys)));
    expect(verdicts.filter(({ verdict }) => verdict === 'admitted')).toHaveLength(5);
    expect(verdicts.filter(({ verdict }) => verdict === 'busy')).toHaveLength(95);
  });

  it('counts an attempt without a result as failed after half a minute', async () => {
    const keys = await knownDevice();
    for (let count = 0; count < 5; count += 1) expect(await throttle.admit(keys)).toEqual(byDevice);
    await pass('31 seconds');
    expect(await throttle.admit(keys)).toEqual(admitted);
  });

  it('logs in although the limits of its network and its account there are reached, and resets neither', async () => {
    const keys = await knownDevice();
    const elsewhere = { ...keys, device: key() };
    await fail(elsewhere, 5);
    for (let count = 0; count < 15; count += 1) await fail({ ...newKeys(), network: keys.network });
    await expectRefused({ ...newKeys(), network: keys.network }, 60);
    expect(await throttle.admit(keys)).toEqual(byDevice);
    await throttle.settle(keys, 'success', true);
    await expectRefused({ ...newKeys(), network: keys.network }, 60, 'after a login on the device');
    await pass('61 seconds');
    await fail(elsewhere);
    await expectRefused(elsewhere, 10);
  });

  it('logs in although the account is closed, and its failures count for the account', async () => {
    const keys = await knownDevice();
    await failOn(keys, 2);
    for (let count = 0; count < 28; count += 1) await fail({ ...newKeys(), account: keys.account });
    await expectRefused({ ...newKeys(), account: keys.account }, 86_400);
    expect(await throttle.admit(keys)).toEqual(byDevice);
    await throttle.settle(keys, 'success', true);
    await expectRefused({ ...newKeys(), account: keys.account }, 86_400, 'after a login on the device');
  });

  it('makes its network known, also to the account', async () => {
    const keys = await knownDevice();
    const moved = { ...keys, pair: key(), network: key() };
    expect(await throttle.admit(moved)).toEqual(byDevice);
    await throttle.settle(moved, 'success', true);
    expect(await throttle.listKnownNetworks(60, 1)).toEqual([moved.network]);
    for (let count = 0; count < 30; count += 1) await fail({ ...newKeys(), account: keys.account });
    expect(await throttle.admit({ ...moved, device: key() })).toEqual(admitted);
  });

  it('is forgotten when the account is reset, when 20 others came after it, and after 90 days', async () => {
    const keys = await knownDevice();
    await throttle.forgive(keys.account);
    expect(await throttle.admit(keys)).toEqual(admitted);
    await throttle.settle(keys, 'success', false);
    for (let count = 0; count < 20; count += 1) await succeed({ ...keys, device: key() });
    expect(await throttle.admit(keys)).toEqual(admitted);
    const late = await knownDevice();
    await pass('91 days');
    await throttle.sweep();
    expect(await throttle.admit(late)).toEqual(admitted);
  });
});

describe('the store', () => {
  it('lists networks with a success, the newest first', async () => {
    const [first, second, none] = [newKeys(), newKeys(), newKeys()];
    await succeed(first);
    await succeed(second);
    await fail(none);
    expect(await throttle.listKnownNetworks(60, 2)).toEqual([second.network, first.network]);
    await pass('61 seconds');
    expect(await throttle.listKnownNetworks(60, 2)).toEqual([]);
  });

  it('keeps a name without a success for 2 days, and one with a success for 90 days', async () => {
    const [known, unknown] = [newKeys(), newKeys()];
    await succeed(known);
    await fail(unknown);
    const isStored = async ({ pair }: ThrottleKeys) =>
      (await database.store.selectFrom('throttle').select('key').where('key', '=', pair).execute()).length ===
      1;
    await pass('3 days');
    await throttle.sweep();
    expect([await isStored(known), await isStored(unknown)]).toEqual([true, false]);
    await pass('90 days');
    await throttle.sweep();
    expect(await isStored(known)).toBe(false);
  });
});
