// docs/explanation/security.md: guessing passwords: by other spellings, from other addresses, slowly over many accounts, and as a way
// to lock a user out. guess-race.test.ts tests T72, concurrent guesses.
import { describe, expect, it } from 'vitest';
import { createHttpClient } from '../../rig/http-client.ts';
import { addUser, hashPassword, password } from '../../rig/seed.ts';
import { useService } from '../../rig/use-service.ts';
import { isJudgedAtFullSize, size } from '../size.ts';
import { atOnce } from './at-once.ts';
import { countReasons, countVerified } from './count-reasons.ts';
import { forgetGuesses, guess, guessFrom, passTime, summaryOf } from './guesses.ts';
import { manyFacedName, spellingsOf } from './spellings.ts';

const failures = 5;
const networkFailures = 20;
/** Hashes that cost little: only dev takes them, and what is counted here is their number. */
const cheap = { HASH_MEMORY_KIBIBYTES: '64', HASH_PASSES: '1', HASH_CONCURRENCY: '8' };
const budget = (networks: number, startedAt: number) =>
  networks * networkFailures * (1 + Math.floor((performance.now() - startedAt) / 60_000));

describe('an account and a network', () => {
  const closedAt = 30;
  const service = useService({
    mode: 'dev',
    settings: {
      ...cheap,
      THROTTLE_FAILURES_BEFORE_DELAY: String(failures),
      THROTTLE_ACCOUNT_FAILURES: String(closedAt),
      APPLICATION_TRUSTED_PROXIES: '["127.0.0.0/8"]',
    },
  });

  /**
   * Guesses until it must wait, waits, and so on; everything that it was answered. A wait is told as it was when it began,
   * in whole seconds: those that the machine took until it was asked for are over.
   */
  async function guessOn(username: string, network: string, waits: readonly number[]): Promise<string[]> {
    const sequence: string[] = [];
    let failedSince = performance.now();
    for (let round = 0; round < waits.length && sequence.length < 100; ) {
      const startedAt = performance.now();
      const answer = await guess(service(), { username, network });
      if (answer.body.code === 400) {
        sequence.push(summaryOf(answer));
        failedSince = startedAt;
        continue;
      }
      const wait = Number(answer.headers['retry-after']);
      const due = waits[round] ?? 0;
      const isDue = wait <= due && wait >= Math.ceil(due - (performance.now() - failedSince) / 1000);
      sequence.push(isDue ? `429 wait ${due}` : summaryOf(answer));
      round += 1;
      await passTime(service().database, wait);
    }
    return sequence;
  }

  it('T71 get the same answers and the same growing waits for a taken and a free name', async () => {
    await forgetGuesses(service().database);
    const waits = [5, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900];
    const due = [...Array(failures - 1).fill('400'), ...waits.flatMap((wait) => ['400', `429 wait ${wait}`])];
    for (const [index, username] of ['carl', 'nobody', 'dora', 'otto', 'no\0body'].entries())
      expect(await guessOn(username, `198.51.100.${index}`, waits), username).toEqual(due);
  });

  it('T71 lock unknown networks out in the same way for a taken and a free name', async () => {
    await forgetGuesses(service().database);
    const due = Array.from({ length: closedAt + 5 }, (_, index) =>
      index < closedAt ? '400' : expect.stringMatching(/^429 wait 8(6[0-4]|5\d)\d\d$/),
    );
    const names = ['carl', 'nobody', 'dora', 'otto'];
    const answers = await atOnce(names.length, names.length, (nth) =>
      atOnce(1, due.length, (index) =>
        guess(service(), { username: names[nth] ?? '', network: `198.51.100.${index}` }),
      ),
    );
    for (const [nth, username] of names.entries())
      expect(answers[nth]?.map(summaryOf), username).toEqual(due);
  });

  it('T73 count all spellings of a name as one', async () => {
    await forgetGuesses(service().database);
    await addUser(service().database, {
      username: manyFacedName,
      role: 'guest',
      passwordHash: await hashPassword(password, 1),
    });
    const spellings = spellingsOf(manyFacedName, size({ small: 60, full: 200 }));
    const startedAt = performance.now();
    const answers = await atOnce(8, spellings.length, (index) =>
      guess(service(), { username: spellings[index] ?? '' }),
    );
    const seconds = (performance.now() - startedAt) / 1000;
    // After 5, 10 and 20 seconds of waiting there is one more guess each.
    const further = [5, 15, 35].filter((waited) => seconds > waited).length;
    expect(await countVerified(service().database, answers)).toBeLessThanOrEqual(failures + further);
    // They are the account: each of them logs in.
    await forgetGuesses(service().database);
    for (const username of spellings.slice(0, 30))
      expect(summaryOf(await guess(service(), { username, password })), JSON.stringify(username)).toBe('200');
  });
});

describe('without a trusted proxy', () => {
  const service = useService({
    mode: 'dev',
    settings: { ...cheap, THROTTLE_NETWORK_FAILURES_PER_MINUTE: String(networkFailures) },
  });

  it('T74 an address from a header is ignored, and not recorded', async () => {
    const client = createHttpClient(service().server.port, { remembers: false });
    const startedAt = performance.now();
    const answers = await atOnce(8, size({ small: 60, full: 10_000 }), (index) => {
      const claimed = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
      const headers = [
        { 'x-forwarded-for': claimed },
        { 'x-real-ip': claimed },
        { forwarded: `for=${claimed}` },
        { 'x-forwarded-for': 'a' },
        { 'x-forwarded-for': `2001:db8:${index.toString(16)}::1`, 'x-client-ip': claimed },
        {
          'cf-connecting-ip': claimed,
          'true-client-ip': claimed,
          'x-forwarded-for': `127.0.0.1, ${claimed}`,
        },
      ][index % 6];
      return guess(client, { username: `somebody${index}`, ...(headers ? { headers } : {}) });
    });
    client.close();
    expect(await countVerified(service().database, answers)).toBeLessThanOrEqual(budget(1, startedAt));
    const rows = await service().database.query('select distinct host(ip) as ip from login_log');
    expect(rows).toEqual([{ ip: '127.0.0.1' }]);
  });

  it('T74 another address of the machine is another network, with a separate limit', async () => {
    const { port } = service().server;
    const answers = await atOnce(1, 30, (index) => guessFrom('127.0.0.7', port, `somebody-else${index}`));
    expect(await countReasons(service().database, answers)).toEqual({
      credentials_wrong: networkFailures,
      throttled: 30 - networkFailures,
    });
  });
});

describe('behind a trusted proxy', () => {
  const accountFailures = size({ small: 20, full: 100 });
  /** More than two networks may guess. */
  const many = size({ small: 60, full: 100 });
  const service = useService({
    mode: 'dev',
    settings: {
      ...cheap,
      THROTTLE_FAILURES_BEFORE_DELAY: String(failures),
      THROTTLE_NETWORK_FAILURES_PER_MINUTE: String(networkFailures),
      THROTTLE_ACCOUNT_FAILURES: String(accountFailures),
      APPLICATION_TRUSTED_PROXIES: '["127.0.0.1"]',
    },
  });

  async function verifiedOf(count: number, networkOf: (index: number) => string): Promise<number> {
    await forgetGuesses(service().database);
    const answers = await atOnce(8, count, (index) =>
      guess(service(), { username: `name${index}`, network: networkOf(index) }),
    );
    return await countVerified(service().database, answers);
  }

  it('T74 a walk through an IPv6 /64 is one network, and the next /64 another', async () => {
    const walk = (index: number) =>
      [
        `2001:db8:1:1::${index.toString(16)}`,
        `2001:DB8:1:1:${index.toString(16)}::1`,
        `[2001:db8:0001:0001::${index.toString(16)}]:443`,
        `2001:db8:1:1:a:b:192.0.2.${index % 250}`,
      ][index % 4] ?? '';
    expect(await verifiedOf(many, walk)).toBe(networkFailures);
    expect(await verifiedOf(many, (index) => `2001:db8:1:${index % 2}::${index}`)).toBe(2 * networkFailures);
  });

  it('T74 entries of the client before those of the proxy are ignored', async () => {
    expect(await verifiedOf(many, (index) => `10.0.0.${index}, 198.51.100.7`)).toBe(networkFailures);
    expect(await verifiedOf(many, (index) => `${index}, 198.51.100.7:${1024 + index}`)).toBe(networkFailures);
    expect(await verifiedOf(many, (index) => `::ffff:198.51.100.7${index % 2 ? '%eth0' : ''}`)).toBe(
      networkFailures,
    );
  });

  it.each(['a', '', ',', '999.1.1.1', '1.2.3', '0x7f.1', 'unknown', '::1::', '-', '[', '256.256.256.256'])(
    'T74 an unreadable address (%j) counts as the proxy and is not skipped',
    async (text) => {
      expect(await verifiedOf(30, () => text)).toBe(networkFailures);
    },
  );

  it('T75 a user whose name is attacked from everywhere still logs in from a known network', async () => {
    await forgetGuesses(service().database);
    const home = '203.0.113.5';
    const logIn = (network: string) => guess(service(), { username: 'ada', password, network });
    expect((await logIn(home)).body.code).toBe(200);
    const client = createHttpClient(service().server.port, { remembers: false });
    const networks = size({ small: 30, full: 500 });
    const attack = atOnce(16, size({ small: 100, full: 10_000 }), (index) =>
      guess(client, {
        username: 'ada',
        network: `198.18.${(index % networks) >> 8}.${(index % networks) & 255}`,
      }),
    );
    const times: number[] = [];
    const logInAtHome = async () => {
      const startedAt = performance.now();
      const { body } = await logIn(home);
      times.push(performance.now() - startedAt);
      expect(body.code).toBe(200);
    };
    const attacked = await attack;
    // The account is closed by now. The attack goes on, and the victim logs in meanwhile.
    const further = atOnce(16, size({ small: 200, full: 10_000 }), (index) =>
      guess(client, {
        username: 'ada',
        network: `198.19.${(index % networks) >> 8}.${(index % networks) & 255}`,
      }),
    );
    await atOnce(1, size({ small: 20, full: 200 }), logInAtHome);
    const refused = await logIn('203.0.113.99');
    expect(refused.body.code).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3600);
    const answers = [...attacked, ...(await further)];
    client.close();
    expect(await countVerified(service().database, answers)).toBe(accountFailures);
    const slowest = times.sort((a, b) => a - b).at(Math.ceil(times.length * 0.99) - 1);
    console.log(`the slowest login at home took ${slowest?.toFixed(0)} ms (bar: 2,000, judged at full size)`);
    // The slowest of twenty says more about the machine than about the service.
    if (isJudgedAtFullSize('the slowest login at home')) expect(slowest).toBeLessThan(2000);
  });

  it('T76 one guess at each of many accounts counts for the network like many at one', async () => {
    await forgetGuesses(service().database);
    const client = createHttpClient(service().server.port, { remembers: false });
    const networks = size({ small: 5, full: 50 });
    const startedAt = performance.now();
    const answers = await atOnce(16, size({ small: 200, full: 100_000 }), (index) =>
      guess(client, { username: `employee${index}`, network: `192.0.2.${index % networks}` }),
    );
    client.close();
    const verified = await countVerified(service().database, answers);
    expect(verified).toBeLessThanOrEqual(budget(networks, startedAt));
    // One that waited too long for its turn comes again at once; no other has to wait for less than a minute.
    const shed = answers.filter(({ headers, status }) => headers['retry-after'] === '1' || status === 503);
    expect(verified + shed.length).toBeGreaterThanOrEqual(networks * networkFailures);
  });
});
