// Threats, sign-in methods: codes that are guessed, used again and raced for, over several instances. Whatever was looked at is in
// the login log with the reason credentials_wrong, or ok.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../rig/http-client.ts';
import { note } from '../../rig/notes.ts';
import { failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { countReasons } from '../login/count-reasons.ts';
import { instances, limit, useInstances } from '../login/instances.ts';
import { size } from '../size.ts';
import { type ArmedPerson, addArmed, outcomeOf, type Person } from './people.ts';
import { codeAt, wrongCode } from './totp-clock.ts';

const guesses = size({ small: 200, full: 1000 });
const racers = 20;
const races = size({ small: 3, full: 1000 });

const world = useInstances();
const arm = () => addArmed(world().database);

/** Attempts whose password was right, without the requests for it. */
async function prove({ id }: Person, count: number): Promise<string[]> {
  const handles = Array.from({ length: count }, () => randomBytes(32).toString('base64url'));
  const noCaptcha = JSON.stringify(['', '']);
  await world().database.query(
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

const countIn = (answers: readonly Answer[]) => answers.filter((answer) => outcomeOf(answer) === 'in').length;

describe('T133 of 1,000 guesses of a code at once over four instances', () => {
  it('on one attempt, five are looked at, and then not even the right one', async () => {
    const [person, other] = [await arm(), await arm()];
    const [flowId] = await prove(person, 1);
    const otp = wrongCode(person.secret);
    const first = await world().logInAtOnce([{ flowId, otp }]);
    expect(await countReasons(world().database, first)).toEqual({ credentials_wrong: 1 });
    const answers = await world().logInAtOnce(Array.from({ length: guesses }, () => ({ flowId, otp })));
    const {
      credentials_wrong = 0,
      captcha_wrong = 0,
      unavailable = 0,
    } = await countReasons(world().database, answers);
    expect(credentials_wrong).toBeLessThanOrEqual(limit - 1);
    // A busy machine answers some of them with nothing but that.
    expect(credentials_wrong + captcha_wrong + unavailable).toBe(guesses);
    expect(countIn(await world().logInAtOnce([{ flowId, otp: codeAt(person.secret) }]))).toBe(0);
    const [fresh] = await prove(other, 1);
    expect(countIn(await world().logInAtOnce([{ flowId: fresh, otp: codeAt(other.secret) }]))).toBe(1);
  });

  it('on as many attempts, no more are looked at than of passwords, and of as many people one each', async () => {
    const person = await arm();
    const otp = wrongCode(person.secret);
    const startedAt = performance.now();
    const answers = await world().logInAtOnce(
      (await prove(person, guesses)).map((flowId) => ({ flowId, otp })),
    );
    const seconds = (performance.now() - startedAt) / 1000;
    // After 5, 10 and 20 seconds of waiting there is one more guess each.
    const further = [5, 15, 35].filter((waited) => seconds > waited).length;
    const {
      credentials_wrong = 0,
      throttled = 0,
      unavailable = 0,
    } = await countReasons(world().database, answers);
    expect(credentials_wrong).toBeGreaterThan(0);
    expect(credentials_wrong).toBeLessThanOrEqual(limit + further);
    expect(credentials_wrong + throttled + unavailable).toBe(guesses);

    const bodies: object[] = [];
    for (let people = 0; people < 20; people += 1) {
      const next = await arm();
      bodies.push({ flowId: (await prove(next, 1))[0], otp: wrongCode(next.secret) });
    }
    const ofMany = await countReasons(world().database, await world().logInAtOnce(bodies));
    expect((ofMany.credentials_wrong ?? 0) + (ofMany.unavailable ?? 0)).toBe(bodies.length);
  });
});

it('T131 a code that was used on one instance is used on all others', async () => {
  const person = await arm();
  const otp = codeAt(person.secret);
  const handles = await prove(person, instances);
  const outcomes: string[] = [];
  for (const [index, { send }] of world().clients.entries()) {
    const body = { flowId: handles[index], otp };
    outcomes.push(outcomeOf(await send({ method: 'POST', path: '/api/v1/login', body })));
  }
  expect(outcomes).toEqual(['in', ...Array.from({ length: instances - 1 }, () => 'credentials_wrong')]);
});

describe('T135 of 20 who send the same at once over four instances', () => {
  it.each([
    ['a code', ({ secret }: ArmedPerson) => ({ otp: codeAt(secret) })],
    ['a recovery code', ({ recoveryCodes }: ArmedPerson) => ({ recoveryCode: recoveryCodes[0] })],
  ])('(%s) one is let in, every time', async (_what, proofOf) => {
    for (let race = 0; race < races; race += 1) {
      const person = await arm();
      const handles = await prove(person, racers);
      const proof = proofOf(person);
      const answers = await world().logInAtOnce(handles.map((flowId) => ({ flowId, ...proof })));
      const sessions = await world().database.query('select 1 from sessions where user_id = $1', [person.id]);
      failIfAttackSucceeded(sessions.length > 1, 'one proof opens two sessions');
      const { ok, unavailable = 0 } = await countReasons(world().database, answers);
      // A machine that stands still for seconds makes a lease run out, maybe that of the one who would be let in.
      if (unavailable === 0) expect([countIn(answers), sessions.length, ok]).toEqual([1, 1, 1]);
      else {
        note(
          'not judged',
          'that one of those who send the same is let in, where some were answered with 503',
        );
        expect(countIn(answers)).toBeLessThanOrEqual(1);
      }
    }
  });

  it('(each another recovery code) all are let in, where there is room for them', async () => {
    const person = await arm();
    const handles = await prove(person, person.recoveryCodes.length);
    const bodies = handles.map((flowId, index) => ({ flowId, recoveryCode: person.recoveryCodes[index] }));
    expect(countIn(await world().logInAtOnce(bodies))).toBe(bodies.length);
  });
});
