// Threats, ways in: codes that are guessed, used again and raced for, over several instances. Whatever was looked at is in
// the login log with the reason credentials_wrong, or ok.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type Database } from '../../rig/create-database.ts';
import { type Answer, createHttpClient, type HttpClient } from '../../rig/http-client.ts';
import { seed } from '../../rig/seed.ts';
import { type Server, startServer } from '../../rig/start-server.ts';
import { countReasons } from '../login/count-reasons.ts';
import { cheapHashes } from '../login-log/instance.ts';
import { patience, size } from '../size.ts';
import { type ArmedPerson, addArmed, outcomeOf, type Person } from './people.ts';
import { codeAt, wrongCode } from './totp-clock.ts';

const instances = 4;
const limit = 5;
const guesses = size({ small: 200, full: 1000 });
const racers = 20;
const races = size({ small: 3, full: 1000 });

let database: Database;
let servers: Server[];
let clients: HttpClient[];

beforeAll(async () => {
  database = await createDatabase({ migrated: true });
  await seed(database);
  // So many hashes at once that every attempt has a slot, and what is looked at decides alone.
  const settings = {
    ...patience,
    ...cheapHashes,
    APPLICATION_MODE: 'dev',
    THROTTLE_FAILURES: String(limit),
    HASH_CONCURRENCY: '16',
  };
  servers = await Promise.all(
    Array.from({ length: instances }, () => startServer({ databaseUrl: database.url, settings })),
  );
  clients = servers.map(({ port }) => createHttpClient(port, { remembers: false, resends: true }));
});
afterAll(async () => {
  for (const client of clients) client.close();
  await Promise.all(servers.map((server) => server.stop()));
  await database.drop();
});

/** Attempts whose password was right, without the requests for it. */
async function prove({ id }: Person, count: number): Promise<string[]> {
  const handles = Array.from({ length: count }, () => randomBytes(32).toString('base64url'));
  const noCaptcha = JSON.stringify(['', '']);
  await database.query(
    `insert into login_attempts (handle_hash, captcha_mac, user_id, epoch, passed, tries, expires_at)
     select hash, mac, users.id, epoch, '{password}', 1, now() + interval '10 minutes'
     from users, unnest($2::bytea[], $3::bytea[]) as new (hash, mac) where users.id = $1`,
    [
      id,
      handles.map((handle) => createHash('sha256').update(handle).digest()),
      handles.map((handle) => createHmac('sha256', handle).update(noCaptcha).digest()),
    ],
  );
  return handles;
}

/** Each to the next instance. */
const sendAtOnce = (bodies: readonly object[]): Promise<Answer[]> =>
  Promise.all(
    bodies.map((body, index) =>
      (clients[index % instances] as HttpClient).send({ method: 'POST', path: '/api/v1/login', body }),
    ),
  );

const countIn = (answers: readonly Answer[]) => answers.filter((answer) => outcomeOf(answer) === 'in').length;

describe('T133 of 1,000 guesses of a code at once over four instances', () => {
  it('on one attempt, five are looked at, and then not even the right one', async () => {
    const [person, other] = [await addArmed(database), await addArmed(database)];
    const [attempt] = await prove(person, 1);
    const otp = wrongCode(person.secret);
    const first = await sendAtOnce([{ attempt, otp }]);
    expect(await countReasons(database, first)).toEqual({ credentials_wrong: 1 });
    const answers = await sendAtOnce(Array.from({ length: guesses }, () => ({ attempt, otp })));
    const {
      credentials_wrong = 0,
      captcha_wrong = 0,
      unavailable = 0,
    } = await countReasons(database, answers);
    expect(credentials_wrong).toBeLessThanOrEqual(limit - 1);
    // A busy machine answers some of them with nothing but that.
    expect(credentials_wrong + captcha_wrong + unavailable).toBe(guesses);
    expect(countIn(await sendAtOnce([{ attempt, otp: codeAt(person.secret) }]))).toBe(0);
    const [fresh] = await prove(other, 1);
    expect(countIn(await sendAtOnce([{ attempt: fresh, otp: codeAt(other.secret) }]))).toBe(1);
  });

  it('on as many attempts, no more are looked at than of passwords, and of as many people one each', async () => {
    const person = await addArmed(database);
    const otp = wrongCode(person.secret);
    const startedAt = performance.now();
    const answers = await sendAtOnce((await prove(person, guesses)).map((attempt) => ({ attempt, otp })));
    const seconds = (performance.now() - startedAt) / 1000;
    // After 5, 10 and 20 seconds of waiting there is one more guess each.
    const further = [5, 15, 35].filter((waited) => seconds > waited).length;
    const { credentials_wrong = 0, throttled = 0, unavailable = 0 } = await countReasons(database, answers);
    expect(credentials_wrong).toBeGreaterThan(0);
    expect(credentials_wrong).toBeLessThanOrEqual(limit + further);
    expect(credentials_wrong + throttled + unavailable).toBe(guesses);

    const bodies: object[] = [];
    for (let people = 0; people < 20; people += 1) {
      const next = await addArmed(database);
      bodies.push({ attempt: (await prove(next, 1))[0], otp: wrongCode(next.secret) });
    }
    const ofMany = await countReasons(database, await sendAtOnce(bodies));
    expect((ofMany.credentials_wrong ?? 0) + (ofMany.unavailable ?? 0)).toBe(bodies.length);
  });
});

it('T131 a code that was used on one instance is used on all others', async () => {
  const person = await addArmed(database);
  const otp = codeAt(person.secret);
  const handles = await prove(person, instances);
  const outcomes: string[] = [];
  for (const [index, attempt] of handles.entries()) {
    const client = clients[index] as HttpClient;
    outcomes.push(
      outcomeOf(await client.send({ method: 'POST', path: '/api/v1/login', body: { attempt, otp } })),
    );
  }
  expect(outcomes).toEqual(['in', ...Array.from({ length: instances - 1 }, () => 'credentials_wrong')]);
});

describe('T135 of 20 who send the same at once over four instances', () => {
  it.each([
    ['a code', ({ secret }: ArmedPerson) => ({ otp: codeAt(secret) })],
    ['a recovery code', ({ recoveryCodes }: ArmedPerson) => ({ recoveryCode: recoveryCodes[0] })],
  ])('(%s) one is let in, every time', async (_what, proofOf) => {
    for (let race = 0; race < races; race += 1) {
      const person = await addArmed(database);
      const handles = await prove(person, racers);
      const proof = proofOf(person);
      const answers = await sendAtOnce(handles.map((attempt) => ({ attempt, ...proof })));
      const sessions = await database.query('select 1 from sessions where user_id = $1', [person.id]);
      const { ok, unavailable = 0 } = await countReasons(database, answers);
      // A machine that stands still for seconds makes a lease run out, maybe that of the one who would be let in.
      if (unavailable === 0) expect([countIn(answers), sessions.length, ok]).toEqual([1, 1, 1]);
      else expect(countIn(answers)).toBeLessThanOrEqual(1);
    }
  });

  it('(each another recovery code) all are let in, where there is room for them', async () => {
    const person = await addArmed(database);
    const handles = await prove(person, person.recoveryCodes.length);
    const bodies = handles.map((attempt, index) => ({ attempt, recoveryCode: person.recoveryCodes[index] }));
    expect(countIn(await sendAtOnce(bodies))).toBe(bodies.length);
  });
});
