// Guessing in parallel over several instances: the throttle reserves a guess before the password is looked at. An
// attempt whose password was verified is in the login log with the reason credentials_wrong, or ok.
import { randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { eventually } from '../conformance/eventually.ts';
import { hiddenName } from '../rig/hidden-name.ts';
import type { Answer } from '../rig/http-client.ts';
import { addUser, password } from '../rig/seed.ts';
import { weakArgon2 } from './login/imported-users.ts';
import { instances, limit, useInstances } from './login/instances.ts';
import { size } from './size.ts';

const rounds = size({ small: 1, full: 1000 });
/** How long the product lets a login wait for its turn among those on the same account. */
const patienceMilliseconds = 3000;

const world = useInstances();
let passwordHash: string;
beforeAll(async () => {
  passwordHash = await weakArgon2(password);
});

async function freshUser(): Promise<string> {
  const username = `u${randomBytes(8).toString('hex')}`;
  await addUser(world().database, { username, role: 'guest', passwordHash });
  return username;
}

const logInAtOnce = (times: number, username: string, secret: string): Promise<Answer[]> =>
  world().logInAtOnce(Array.from({ length: times }, () => ({ username, password: secret })));

async function countByReason(username: string): Promise<Record<string, number>> {
  const rows = await world().database.query<{ reason: string; count: number }>(
    'select reason, count(*)::int from login_log where username = any($1) group by reason',
    [[username, hiddenName(username)]],
  );
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
}

const countOfCode = (answers: readonly Answer[], code: number) =>
  answers.filter(({ body }) => body.code === code).length;

it.each([
  ['an account', freshUser],
  ['a name that no account has', async () => `n${randomBytes(8).toString('hex')}`],
])(
  `T72 verifies at most ${limit} passwords of 1,000 wrong logins at once on %s, over ${instances} instances`,
  async (_what, makeName) => {
    for (let round = 0; round < rounds; round += 1) {
      const username = await makeName();
      const startedAt = performance.now();
      const answers = await logInAtOnce(1000, username, 'wrong');
      const seconds = (performance.now() - startedAt) / 1000;
      // After 5, 10 and 20 seconds of waiting there is one more guess each.
      const further = [5, 15, 35].filter((waited) => seconds > waited).length;
      const [verified, throttled, unavailable] = [400, 429, 503].map((code) => countOfCode(answers, code));
      expect(verified).toBeLessThanOrEqual(limit + further);
      expect(verified).toBeGreaterThan(0);
      expect(throttled).toBeGreaterThan(0);
      // A machine that stalls for seconds lets a lease run out, and a login is refused then.
      await eventually(() => countByReason(username)).toEqual({
        credentials_wrong: verified,
        throttled,
        ...(unavailable === 0 ? {} : { unavailable }),
      });
      expect(Number(verified) + Number(throttled) + Number(unavailable)).toBe(1000);
    }
  },
);

it('T72 lets 20 right logins at once on one account all succeed', async () => {
  for (let round = 0; round < 2 * rounds; round += 1) {
    const username = await freshUser();
    const startedAt = performance.now();
    const answers = await logInAtOnce(20, username, password);
    const isPatienceOver = performance.now() - startedAt > patienceMilliseconds;
    expect(countOfCode(answers, 200)).toBeGreaterThan(0);
    // Where the machine took longer than the product waits, some are told to come again at once, and none is told to wait.
    for (const { body, headers, text } of answers.filter(({ body }) => body.code !== 200)) {
      expect(isPatienceOver, text).toBe(true);
      expect(body.code === 503 || headers['retry-after'] === '1', text).toBe(true);
    }
  }
});
