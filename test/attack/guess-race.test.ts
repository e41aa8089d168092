// Guessing in parallel over several instances: the throttle reserves a guess before the password is looked at. An
// attempt whose password was verified is in the login log with the reason credentials_wrong, or ok.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../conformance/eventually.ts';
import { createDatabase, type Database } from '../rig/create-database.ts';
import { type Answer, createHttpClient, type HttpClient } from '../rig/http-client.ts';
import { addUser, hashPassword, password, seed } from '../rig/seed.ts';
import { type Server, startServer } from '../rig/start-server.ts';
import { size } from './size.ts';

const instances = 4;
const limit = 5;
const rounds = size({ small: 2, full: 1000 });

let database: Database;
let servers: Server[];
let clients: HttpClient[];
let passwordHash: string;

beforeAll(async () => {
  database = await createDatabase({ migrated: true });
  await seed(database);
  passwordHash = await hashPassword(password, 2);
  // So many hashes at once that every attempt has a slot, and the throttle alone decides.
  const settings = { APPLICATION_MODE: 'dev', THROTTLE_FAILURES: String(limit), HASH_CONCURRENCY: '16' };
  servers = await Promise.all(
    Array.from({ length: instances }, () => startServer({ databaseUrl: database.url, settings })),
  );
  clients = servers.map(({ port }) => createHttpClient(port, { remembers: false }));
});
afterAll(async () => {
  for (const client of clients) client.close();
  await Promise.all(servers.map((server) => server.stop()));
  await database.drop();
});

async function freshUser(): Promise<string> {
  const username = `u${randomBytes(8).toString('hex')}`;
  await addUser(database, { username, role: 'guest', passwordHash });
  return username;
}

async function logInAtOnce(times: number, username: string, secret: string): Promise<Answer[]> {
  const body = { username, password: secret };
  return await Promise.all(
    Array.from({ length: times }, async (_, index) => {
      const client = clients[index % instances] as HttpClient;
      return await client.send({ method: 'POST', path: '/api/v1/login', body });
    }),
  );
}

async function countByReason(username: string): Promise<Record<string, number>> {
  const rows = await database.query<{ reason: string; count: number }>(
    'select reason, count(*)::int from login_log where username = $1 group by reason',
    [username],
  );
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
}

const countOfCode = (answers: readonly Answer[], code: number) =>
  answers.filter(({ body }) => body.code === code).length;

it.each([
  ['an account', freshUser],
  ['a name that nobody has', async () => `n${randomBytes(8).toString('hex')}`],
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
      expect(countOfCode(answers, 400)).toBeLessThanOrEqual(limit + further);
      expect(countOfCode(answers, 400)).toBeGreaterThan(0);
      expect(countOfCode(answers, 429)).toBe(1000 - countOfCode(answers, 400));
      await eventually(() => countByReason(username)).toEqual({
        credentials_wrong: countOfCode(answers, 400),
        throttled: countOfCode(answers, 429),
      });
    }
  },
);

it('T72 lets 20 right logins at once on one account all succeed', async () => {
  for (let round = 0; round < 2 * rounds; round += 1) {
    const answers = await logInAtOnce(20, await freshUser(), password);
    expect(countOfCode(answers, 200)).toBe(20);
  }
});
