// Threats, sign-in methods: codes of an authenticator app and recovery codes, and where they may leak. The controls of these attacks are in
// test/weaknesses/factors.ts.
import { describe, expect, it } from 'vitest';
import { expectLoginRefusal } from '../../conformance/expect-refusal.ts';
import { codeOf } from '../../rig/authenticator.ts';
import { type Answer, createHttpClient, type Request } from '../../rig/http-client.ts';
import { password } from '../../rig/seed.ts';
import { expectAttackFails } from '../../weaknesses/attack.ts';
import { dumpDatabase } from '../carriers/dump-database.ts';
import { countReasons } from '../login/count-reasons.ts';
import { readSpool } from '../login-log/instance.ts';
import { findLeaks } from './find-leaks.ts';
import { type ArmedPerson, addArmed, addPerson, createSteps, outcomeOf, type Person } from './people.ts';
import { codeAt, withinStep, wrongCode } from './totp-clock.ts';
import { useWorld } from './world.ts';

const world = useWorld({ settings: { LOGGER_LEVEL: 'trace', THROTTLE_FAILURES_BEFORE_DELAY: '5' } });
const arm = (role?: string) => addArmed(world().service.database, role);

/** What a person who is signed in does to the own factors. */
function ownCalls(token: string, send: (request: Request) => Promise<Answer> = world().service.send) {
  const call = (method: string, path: string, body?: object) =>
    send({
      method,
      path: `/api/v1/user${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(body && { body }),
    });
  const oldPassword = password;
  return {
    list: () => call('GET', '/factors'),
    add: () => call('POST', '/factors/totp', { oldPassword }),
    confirm: (id: number, otp: string) => call('PUT', `/factors/${id}/confirmed`, { otp }),
    end: (id: number) => call('PUT', `/factors/${id}/ended`, { oldPassword }),
    makeCodes: () => call('POST', '/recovery-codes', { oldPassword }),
  };
}
const signIn = async (person: ArmedPerson) => {
  const recoveryCode = person.recoveryCodes.at(-1);
  const { body } = await world().steps.logIn({ ...(await world().steps.prove(person)), recoveryCode });
  return ownCalls(String(body.token));
};
const tryCode = async (person: Person, proof: object, { steps } = world()) =>
  outcomeOf(await steps.logIn({ ...(await steps.prove(person)), ...proof }));

describe('T130 a code', () => {
  it('of another person, or of no app of theirs, is refused, and the own one is taken', async () => {
    const [one, other] = [await arm(), await arm()];
    for (const otp of [codeAt(other.secret), codeAt(Buffer.alloc(20)), wrongCode(one.secret)])
      expect(await tryCode(one, { otp })).toBe('credentials_wrong');
    expect(await tryCode(one, { otp: codeAt(one.secret) })).toBe('in');
    expect(await tryCode(other, { otp: codeAt(other.secret) })).toBe('in');
  });

  it('of an app that was replaced is refused, and the new one is taken', async () => {
    const person = await arm();
    const own = await signIn(person);
    const { id, secret } = (await own.add()).body.data as { id: number; secret: string };
    expect((await own.confirm(id, await codeOf(secret))).body.code).toBe(200);
    expect(await tryCode(person, { otp: codeAt(person.secret) })).toBe('credentials_wrong');
    expect(await tryCode(person, { otp: await codeOf(secret, Date.now() + 30_000) })).toBe('in');
  });
});

describe('T131 a code that was used', () => {
  it('is refused on another attempt', async () => {
    const { steps } = world();
    const person = await arm();
    const otp = codeAt(person.secret);
    expect(outcomeOf(await steps.logIn({ ...(await steps.prove(person)), otp }))).toBe('in');
    const again = outcomeOf(await steps.logIn({ ...(await steps.prove(person)), otp }));
    expectAttackFails(again, { success: 'in', failure: 'credentials_wrong' });
  });

  it('is refused on the same attempt and on another where it was right and not enough', async () => {
    const { service, byAdmin, addRole } = world();
    const role = await addRole(3);
    const person = await arm(role.key);
    const otp = codeAt(person.secret);
    const step = await world().steps.prove(person);
    expect(outcomeOf(await world().steps.logIn({ ...step, otp }))).toBe('factor_required');
    const again = outcomeOf(await world().steps.logIn({ ...step, otp }));
    expectAttackFails(again, { success: 'factor_required', failure: 'credentials_wrong' });
    await byAdmin('PUT', `/roles/${role.id}/required-factor`, { requiredFactor: 2 });
    expect(await tryCode(person, { otp })).toBe('credentials_wrong');
    await service.database.query('update credentials set counter = 0 where user_id = $1', [person.id]);
    expect(await tryCode(person, { otp: codeAt(person.secret) })).toBe('in');
  });

  it('is refused where it is older than one that was used later', async () => {
    const { steps } = world();
    const { newer, older } = await withinStep(async () => {
      const person = await arm();
      const send = async (ahead: number) =>
        outcomeOf(await steps.logIn({ ...(await steps.prove(person)), otp: codeAt(person.secret, ahead) }));
      return { newer: await send(1), older: await send(0) };
    });
    expect(newer).toBe('in');
    expectAttackFails(older, { success: 'in', failure: 'credentials_wrong' });
  });
});

describe('T132 a clock', () => {
  const logInAt = (ahead: number) =>
    withinStep(async () => {
      const person = await arm();
      return await tryCode(person, { otp: codeAt(person.secret, ahead) });
    });

  it.each([
    ['one step behind', -1],
    ['right', 0],
    ['one step ahead', 1],
  ])('that is %s (%i) logs in', async (_what, ahead) => {
    expect(await logInAt(ahead)).toBe('in');
  });

  it.each([
    ['two steps behind', -2],
    ['two steps ahead', 2],
  ])('that is %s (%i) is refused', async (_what, ahead) => {
    expectAttackFails(await logInAt(ahead), { success: 'in', failure: 'credentials_wrong' });
  });
});

describe('T134 guessing codes with the right password', () => {
  const limit = 5;

  it('is over after five wrong ones, over any number of attempts; the right password alone clears none', async () => {
    const { steps } = world();
    const person = await arm();
    for (let guesses = 0; guesses < limit; guesses += 1)
      expect(await tryCode(person, { otp: wrongCode(person.secret) })).toBe('credentials_wrong');
    const { username } = person;
    expect(outcomeOf(await steps.logIn({ ...(await steps.begin()), username, password }))).toBe(
      'rate_limited',
    );
    // Who had begun before waits as well.
    const late = await arm();
    const [one, other] = [await steps.prove(late), await steps.prove(late)];
    for (let guesses = 0; guesses < limit; guesses += 1)
      expectLoginRefusal(await steps.logIn({ ...one, recoveryCode: 'A'.repeat(16) }), 'credentials_wrong');
    expect(outcomeOf(await steps.logIn({ ...other, otp: codeAt(late.secret) }))).toBe('rate_limited');
    // It is no other person's.
    const next = await arm();
    expect(await tryCode(next, { otp: codeAt(next.secret) })).toBe('in');
  });

  it('shares its count with wrong passwords, and a login that is complete clears it', async () => {
    const { steps } = world();
    const wrongPassword = async ({ username }: Person) =>
      outcomeOf(await steps.logIn({ ...(await steps.begin()), username, password: 'wrong' }));
    const [mixed, cleared] = [await arm(), await arm()];
    for (const person of [mixed, cleared]) {
      expect(await wrongPassword(person)).toBe('credentials_wrong');
      expect(await wrongPassword(person)).toBe('credentials_wrong');
      expect(await tryCode(person, { otp: wrongCode(person.secret) })).toBe('credentials_wrong');
      expect(await tryCode(person, { otp: wrongCode(person.secret) })).toBe('credentials_wrong');
    }
    expect(await tryCode(cleared, { otp: codeAt(cleared.secret) })).toBe('in');
    expect(await wrongPassword(mixed)).toBe('credentials_wrong');
    expect(await wrongPassword(mixed)).toBe('rate_limited');
    expect(await wrongPassword(cleared)).toBe('credentials_wrong');
    expect(await wrongPassword(cleared)).toBe('credentials_wrong');
  });
});

describe('T136 a recovery code', () => {
  it('that was used is refused', async () => {
    const person = await arm();
    const recoveryCode = person.recoveryCodes[0];
    expect(await tryCode(person, { recoveryCode })).toBe('in');
    expectAttackFails(await tryCode(person, { recoveryCode }), {
      success: 'in',
      failure: 'credentials_wrong',
    });
  });

  it('of another person is refused, and stays good for its owner', async () => {
    const [one, other] = [await arm(), await arm()];
    const [recoveryCode] = other.recoveryCodes;
    expect(await tryCode(one, { recoveryCode })).toBe('credentials_wrong');
    expect(await tryCode(other, { recoveryCode })).toBe('in');
  });

  it('is refused where new ones were made, and the new ones are taken', async () => {
    const person = await arm();
    const own = await signIn(person);
    const { recoveryCodes } = (await own.makeCodes()).body.data as { recoveryCodes: string[] };
    expect(await tryCode(person, { recoveryCode: person.recoveryCodes[0] })).toBe('credentials_wrong');
    expect(await tryCode(person, { recoveryCode: recoveryCodes[0] })).toBe('in');
  });

  it('is over with the last factor, also on an attempt that began before, and for the next factor', async () => {
    const { steps } = world();
    const [person, keeper] = [await arm(), await arm()];
    const own = await signIn(person);
    const [late, kept] = [await steps.prove(person), await steps.prove(keeper)];
    const { items } = (await own.list()).body.data as { items: { id: number }[] };
    expect((await own.end(items[0]?.id ?? 0)).body.code).toBe(200);
    const [recoveryCode] = person.recoveryCodes;
    expectLoginRefusal(await steps.logIn({ ...late, recoveryCode }), 'credentials_wrong');
    expect(outcomeOf(await steps.logIn({ ...kept, recoveryCode: keeper.recoveryCodes[0] }))).toBe('in');
    const again = ownCalls(String((await steps.logInPlainly(person)).body.token));
    const { id, secret } = (await again.add()).body.data as { id: number; secret: string };
    const { recoveryCodes } = (await again.confirm(id, await codeOf(secret))).body.data as {
      recoveryCodes: string[];
    };
    expect(await tryCode(person, { recoveryCode })).toBe('credentials_wrong');
    expect(await tryCode(person, { recoveryCode: recoveryCodes[0] })).toBe('in');
  });
});

describe('T127 and T137 handles, secrets and codes', () => {
  it('are in the one answer that shows them, and in no other, no log, no record and no table', async () => {
    const { service, strict } = world();
    const { database, server } = service;
    const client = createHttpClient(server.port, { remembers: true, resends: true });
    const steps = createSteps(database, client.send);
    const person = await addPerson(database, strict.key);
    const handles: string[] = [];
    const secrets: string[] = [];
    const codes: string[] = [];
    const used: string[] = [];
    async function enrol(fields: object = {}): Promise<string> {
      const step = await steps.prove(person);
      const { secret } = (await steps.enrol(step, fields)).body.data as { secret: string };
      const otp = await codeOf(secret);
      const { body } = await steps.logIn({ ...step, otp });
      handles.push(step.flowId);
      secrets.push(secret);
      used.push(otp);
      codes.push(...(body.recoveryCodes as string[]));
      return String(body.token);
    }
    const own = ownCalls(await enrol(), client.send);
    codes.push(...((await own.makeCodes()).body.data as { recoveryCodes: string[] }).recoveryCodes);
    const added = (await own.add()).body.data as { id: number; secret: string };
    secrets.push(added.secret);
    await own.confirm(added.id, wrongCode(Buffer.alloc(20)));
    used.push(await codeOf(added.secret));
    await own.confirm(added.id, used.at(-1) ?? '');
    const step = await steps.prove(person);
    handles.push(step.flowId);
    await steps.logIn({ ...step, recoveryCode: codes.at(-1) });
    const taken = await client.send({
      method: 'DELETE',
      path: `/api/v1/users/${person.id}/factors`,
      headers: { authorization: `Bearer ${await service.tokenOf('ada')}` },
    });
    const { enrolmentCode } = taken.body.data as { enrolmentCode: string };
    codes.push(enrolmentCode);
    await enrol({ enrolmentCode });
    client.close();

    // In no line and no table, in whichever way they are written; and in one answer each.
    const stored = await dumpDatabase(database);
    const kept = [server.process.output, (await readSpool(database)) ?? '', ...stored.values()].join('\n');
    // The search would find what is there: the records of both logs, and the process's own lines.
    for (const known of [person.username, 'user.factors_remove', 'factor_required', '"msg":"ready"'])
      expect(kept.includes(known), known).toBe(true);
    const needles = { handles, secrets, codes };
    expect(findLeaks(kept, { ...needles, used })).toEqual([]);
    expect([handles, secrets, codes, used].map(({ length }) => length)).toEqual([3, 3, 31, 3]);
    expect(
      findLeaks(`{"a":"${handles[0]}","b":"${codes[30]?.toLowerCase()}","otp":"${used[2]}"}`, {
        ...needles,
        used,
      }),
    ).toHaveLength(3);
    const shown = client.answers.map(({ text, headers }) => text + JSON.stringify(headers));
    for (const needle of [...handles, ...secrets, ...codes])
      expect(
        shown.filter(
          (text) => findLeaks(text, { handles: [needle], secrets: [], codes: [], used: [] }).length > 0,
        ),
      ).toHaveLength(1);
  });
});

describe('T148 the secret of an app that a person moves in the database', () => {
  it('opens only for its owner: the person who put it there is refused, and all others are', async () => {
    const { service, steps } = world();
    const { query } = service.database;
    const [victim, thief] = [await arm(), await arm()];
    const sealedOf = async ({ id }: Person) =>
      (
        await query<{ sealed: Buffer }>(
          'select sealed_secret as sealed from credentials where user_id = $1',
          [id],
        )
      )[0]?.sealed;
    const put = (person: Person, sealed: Buffer | undefined) =>
      query('update credentials set sealed_secret = $2 where user_id = $1', [person.id, sealed]);
    const original = await sealedOf(victim);
    await put(victim, await sealedOf(thief));
    const answer = await steps.logIn({ ...(await steps.prove(victim)), otp: codeAt(thief.secret) });
    // To the caller it is a wrong code; it is the operator who is told whose secret it was, and what to do.
    const wrong = await steps.logIn({ ...(await steps.prove(thief)), otp: wrongCode(thief.secret) });
    expect([answer.status, answer.body]).toEqual([wrong.status, wrong.body]);
    expect(await countReasons(service.database, [answer, wrong])).toEqual({ credentials_wrong: 2 });
    const told = service.server.process.output.split('\n').filter((line) => line.includes('does not open'));
    expect(told.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: 50,
        userId: victim.id,
        msg: expect.stringMatching(/signing-keys reseal.*reset-factors/),
      }),
    ]);
    expect(await tryCode(thief, { otp: codeAt(thief.secret) })).toBe('in');
    expect(await tryCode(victim, { recoveryCode: victim.recoveryCodes[0] })).toBe('in');
    await put(victim, original);
    expect(await tryCode(victim, { otp: codeAt(victim.secret) })).toBe('in');
  });
});
