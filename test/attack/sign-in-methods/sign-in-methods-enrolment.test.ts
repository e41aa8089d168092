// Threats, sign-in methods: a factor that is set up on the way in, what a role demands, and what changes between two steps. The controls
// of these attacks are in test/weaknesses/factors.ts.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../conformance/eventually.ts';
import { expectLoginRefusal } from '../../conformance/expect-refusal.ts';
import { codeOf } from '../../rig/authenticator.ts';
import type { Answer } from '../../rig/http-client.ts';
import { password } from '../../rig/seed.ts';
import { expectAttackFails, failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { addArmed, addPerson, outcomeOf, type Person, type Step, sealTotp } from './people.ts';
import { codeAt } from './totp-clock.ts';
import { type Role, useWorld } from './world.ts';

const world = useWorld();

const secretOf = ({ body }: Answer) => (body.data as { secret: string }).secret;
const listFactors = async ({ id }: Person) =>
  await world().service.database.query(
    'select id::int, ended_at is null as stands from credentials where user_id = $1 and confirmed_at is not null',
    [id],
  );

const arm = (role?: string) => addArmed(world().service.database, role);
const plain = (role?: string) => addPerson(world().service.database, role);
const codeAfter = async (answer: Answer) => ({ otp: await codeOf(secretOf(answer)) });

describe('T138 an enrolment on the way in', () => {
  it('is refused where nothing is demanded any more', async () => {
    const { steps, addRole, byAdmin } = world();
    const role = await addRole(2);
    const [person, other] = [await plain(role.key), await plain(role.key)];
    const [step, timely] = [await steps.prove(person), await steps.prove(other)];
    expect((await steps.enrol(timely)).body.code).toBe(200);
    await byAdmin('PUT', `/roles/${role.id}/required-factor`, { requiredFactor: 1 });
    expectNotBegun(await steps.enrol(step), 'factor_required');
  });

  it('is refused where there is a factor, whether or not the role demands one, and the factor stands', async () => {
    const { steps, strict, lax } = world();
    for (const role of [strict, lax]) {
      const person = await arm(role.key);
      const step = await steps.prove(person);
      for (const kind of ['totp', 'passkey'])
        expectNotBegun(await steps.enrol(step, { kind }), 'factor_required');
      expect(await listFactors(person)).toEqual([{ id: expect.any(Number), stands: true }]);
      const next = await steps.prove(person);
      expect(outcomeOf(await steps.logIn({ ...next, otp: codeAt(person.secret) }))).toBe('in');
    }
  });
});

describe('T139 whose factor was taken', () => {
  const take = async ({ id }: Person) =>
    ((await world().byAdmin('DELETE', `/users/${id}/factors`)).body.data as { enrolmentCode: string })
      .enrolmentCode;

  it('enrols with the code of the administrator alone: no foreign, old, expired or used one, and none', async () => {
    const { service, steps, strict } = world();
    const [lost, other] = [await arm(strict.key), await arm(strict.key)];
    const old = await take(lost);
    const [enrolmentCode, foreign] = [await take(lost), await take(other)];
    const step = await steps.prove(lost);
    for (const wrong of [{}, { enrolmentCode: foreign }, { enrolmentCode: old }])
      expectNotBegun(await steps.enrol(step, wrong), 'credentials_wrong');

    const move = (interval: string) =>
      service.database.query(
        'update enrolment_codes set expires_at = expires_at + $2::interval where user_id = $1',
        [lost.id, interval],
      );
    await move('-24 hours');
    expectNotBegun(await steps.enrol(step, { enrolmentCode }), 'credentials_wrong');
    await move('24 hours');
    const enrolled = await steps.enrol(await steps.prove(lost), {
      enrolmentCode: enrolmentCode.toLowerCase(),
    });
    expect(enrolled.body.code).toBe(200);
  });

  it('enrols once with it', async () => {
    const { service, steps, strict, byAdmin } = world();
    const lost = await arm(strict.key);
    const enrolmentCode = await take(lost);
    const step = await steps.prove(lost);
    const enrolled = await steps.enrol(step, { enrolmentCode });
    expect(outcomeOf(await steps.logIn({ ...step, ...(await codeAfter(enrolled)) }))).toBe('in');
    // Also where the factor is lost again: it ends without a new code, or with one.
    const { query } = service.database;
    await query('update credentials set ended_at = now() where user_id = $1', [lost.id]);
    await query('delete from recovery_codes where user_id = $1', [lost.id]);
    expectNotBegun(await steps.enrol(await steps.prove(lost), { enrolmentCode }), 'credentials_wrong');
    expect(
      await service.database.query('select 1 from enrolment_codes where user_id = $1', [lost.id]),
    ).toEqual([]);
    await byAdmin('DELETE', `/users/${lost.id}/factors`);
    expectNotBegun(await steps.enrol(await steps.prove(lost), { enrolmentCode }), 'credentials_wrong');
  });

  it('has no more tries than a password gives', async () => {
    const { steps, strict } = world();
    const lost = await arm(strict.key);
    const enrolmentCode = await take(lost);
    const step = await steps.prove(lost);
    for (let tries = 0; tries < 5; tries += 1)
      expectNothing(await steps.enrol(step, { enrolmentCode: 'A'.repeat(16) }), 'credentials_wrong');
    expectNothing(await steps.enrol(step, { enrolmentCode }), 'captcha_wrong');
    expect((await steps.enrol(await steps.prove(lost), { enrolmentCode })).body.code).toBe(200);
  });
});

describe('T140 an app that is not confirmed', () => {
  it('proves nothing on another attempt, and is confirmed on its own', async () => {
    const { steps, strict } = world();
    const person = await plain(strict.key);
    const [own, other] = [await steps.prove(person), await steps.prove(person)];
    const enrolled = await steps.enrol(own);
    const code = await codeAfter(enrolled);
    expectNothing(await steps.logIn({ ...other, ...code }), 'credentials_wrong');
    expect(outcomeOf(await steps.logIn({ ...own, ...code }))).toBe('in');
  });

  it('is none of the two where another was begun after it', async () => {
    const { steps, strict } = world();
    const person = await plain(strict.key);
    const [own, other] = [await steps.prove(person), await steps.prove(person)];
    const [first, second] = [await steps.enrol(own), await steps.enrol(other)];
    expectNothing(await steps.logIn({ ...own, ...(await codeAfter(first)) }), 'captcha_wrong');
    expect(outcomeOf(await steps.logIn({ ...other, ...(await codeAfter(second)) }))).toBe('in');
  });

  it('is no proof of a session, nor demands one', async () => {
    const { service, steps, lax } = world();
    const person = await plain(lax.key);
    const { body } = await steps.logInPlainly(person);
    const headers = { authorization: `Bearer ${body.token}` };
    const adding = {
      method: 'POST',
      path: '/api/v1/user/factors/totp',
      headers,
      body: { oldPassword: password },
    };
    const { id } = (await service.send(adding)).body.data as { id: number };
    expect(await storeSession(person, lax.key, { factor: 2, credential_id: id })).toBe('PF001');
    expect(outcomeOf(await steps.logInPlainly(person))).toBe('in');
    await service.database.query('update credentials set confirmed_at = now() where id = $1', [id]);
    expect(await storeSession(person, lax.key, { factor: 2, credential_id: id })).toBe('stored');
    expect(outcomeOf(await steps.logInPlainly(person))).toBe('factor_required');
  });
});

describe('T141 of two who enrol', () => {
  it('one after the other, the second takes no place, also where the first came between the steps', async () => {
    const { steps, strict } = world();
    const victim = await plain(strict.key);
    const [own, other] = [await steps.prove(victim), await steps.prove(victim)];
    const first = await steps.enrol(own);
    expect(outcomeOf(await steps.logIn({ ...own, ...(await codeAfter(first)) }))).toBe('in');
    // As if it had been asked for just before.
    const secret = await storePending(victim, other);
    const late = outcomeOf(await steps.logIn({ ...other, otp: codeAt(secret) }));
    expectAttackFails(late, { success: 'in', failure: 'captcha_wrong' });
    const { id } = first.body.data as { id: number };
    expect(await listFactors(victim)).toContainEqual({ id, stands: true });
  });

  it('at once, the first is in, and the second begins again', async () => {
    const { service, steps, strict } = world();
    const { database } = service;
    const countWaiting = async () =>
      (
        await database.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).length;
    const victim = await plain(strict.key);
    const [own, other] = [await steps.prove(victim), await steps.prove(victim)];
    const code = await codeAfter(await steps.enrol(own));
    const release = await database.lock('credentials', { readersPass: true });
    const confirming = steps.logIn({ ...own, ...code });
    await eventually(countWaiting).toBe(1);
    const enrolling = steps.enrol(other);
    await eventually(countWaiting).toBe(2);
    await release();
    const [first, second] = [outcomeOf(await confirming), outcomeOf(await enrolling)];
    expectAttackFails(second, { success: '200', failure: 'captcha_wrong' });
    expect(first).toBe('in');
  });
});

describe('T142 what changes between two steps', () => {
  const refusals = ['captcha_wrong', 'credentials_wrong'];
  const changes: [what: string, change: (person: Person, role: Role) => Promise<unknown>][] = [
    ['another password', ({ id }) => world().byAdmin('PUT', `/users/${id}/password`, {})],
    ['another role', ({ id }) => world().byAdmin('PUT', `/users/${id}/role`, { roleId: world().strict.id })],
    [
      'a user who was disabled',
      ({ id }) => world().byAdmin('PUT', `/users/${id}/enabled`, { enabled: false }),
    ],
    [
      'a role that was disabled',
      (_person, { id }) => world().byAdmin('PUT', `/roles/${id}/enabled`, { enabled: false }),
    ],
    ['a user who was deleted', ({ id }) => world().byAdmin('DELETE', `/users/${id}`)],
    ['sessions that were all ended', ({ id }) => world().byAdmin('DELETE', `/users/${id}/sessions`)],
    ['factors that were taken', ({ id }) => world().byAdmin('DELETE', `/users/${id}/factors`)],
  ];

  it.each(changes)('lets no code and no enrolment through: %s', async (_what, change) => {
    const { steps, addRole } = world();
    const role = await addRole(2);
    const [armed, fresh, other] = [await arm(role.key), await plain(role.key), await arm(role.key)];
    const proven = await steps.prove(armed);
    const enrolling = await steps.prove(fresh);
    const code = await codeAfter(await steps.enrol(enrolling));
    // The same without the change.
    expect(outcomeOf(await steps.complete(other))).toBe('in');
    for (const person of [armed, fresh]) await change(person, role);
    const otp = codeAt(armed.secret);
    for (const body of [
      { ...proven, otp },
      { ...proven, recoveryCode: armed.recoveryCodes[0] },
      { ...enrolling, ...code },
    ])
      expectAttackFails(outcomeOf(await steps.logIn(body)), { success: 'in', failure: refusals });
    expect(refusals).toContain(outcomeOf(await steps.enrol(enrolling)));
    expect(await listFactors(fresh)).toEqual([]);
  });
});

describe('T143 where more is demanded, no session comes from', () => {
  it('the four fields, which tell no more than that', async () => {
    const { service, steps, strict, lax } = world();
    for (const person of [await plain(strict.key), await arm(lax.key)]) {
      const answer = await steps.logInPlainly(person);
      expectLoginRefusal(answer, 'factor_required');
      const sessions = await service.database.query('select 1 from sessions where user_id = $1', [person.id]);
      expect(sessions).toEqual([]);
    }
    expect(outcomeOf(await steps.logInPlainly(await plain(lax.key)))).toBe('in');
  });

  it('an instance of the version before, which the database itself refuses', async () => {
    const { strict, lax } = world();
    const [ofStrict, armed, free] = [await plain(strict.key), await arm(lax.key), await plain(lax.key)];
    expect(await storeSession(ofStrict, strict.key)).toBe('PF001');
    expect(await storeSession(armed, lax.key)).toBe('PF001');
    expect(await storeSession(free, lax.key)).toBe('stored');
    expect(await storeSession(ofStrict, strict.key, {}, { guarded: false })).toBe('stored');
    expect(await storeSession(armed, lax.key, {}, { guarded: false })).toBe('stored');
  });

  const refused = { success: 'stored', failure: 'PF001' };
  const factorOf = async (person: Person) => Number((await listFactors(person))[0]?.id);

  it('a factor of another person', async () => {
    const { lax } = world();
    const [one, other] = [await arm(lax.key), await arm(lax.key)];
    const store = async (owner: Person) =>
      await storeSession(one, lax.key, { factor: 2, credential_id: await factorOf(owner) });
    expectAttackFails(await store(other), refused);
    expect(await store(one)).toBe('stored');
  });

  it('a factor that ended', async () => {
    const { service, lax } = world();
    const person = await arm(lax.key);
    const own = await factorOf(person);
    const store = () => storeSession(person, lax.key, { factor: 2, credential_id: own });
    expect(await store()).toBe('stored');
    await service.database.query('update credentials set ended_at = now() where id = $1', [own]);
    expectAttackFails(await store(), refused);
  });
});

describe('T144 a demand that is raised', () => {
  it('between two steps is asked for, and what would have been enough is not', async () => {
    const { service, steps, addRole } = world();
    const role = await addRole(2);
    const [person, other] = [await arm(role.key), await arm(role.key)];
    const [step, timely] = [await steps.prove(person), await steps.prove(other)];
    expect(outcomeOf(await steps.logIn({ ...timely, otp: codeAt(other.secret) }))).toBe('in');
    await service.database.query('update roles set factor = 3 where id = $1', [role.id]);
    const refused = await steps.logIn({ ...step, otp: codeAt(person.secret) });
    expectNothing(refused, 'factor_required');
    expect(refused.body).not.toHaveProperty('token');
  });

  it('while a login is on its way is met by it, and without the guard of the database is not', async () => {
    const { service, steps, addRole, byAdmin } = world();
    const { database } = service;
    async function race(): Promise<string> {
      const role = await addRole();
      const person = await plain(role.key);
      const release = await database.lock('sessions', { readersPass: true });
      const entering = steps.logInPlainly(person);
      await eventually(() => database.countWaiting('sessions')).toBe(1);
      await byAdmin('PUT', `/roles/${role.id}/required-factor`, { requiredFactor: 2 });
      await release();
      return outcomeOf(await entering);
    }
    expect(await race()).toBe('factor_required');
    await database.query('alter table sessions disable trigger sessions_guard');
    try {
      expect(await race()).toBe('in');
    } finally {
      await database.query('alter table sessions enable trigger sessions_guard');
    }
  });
});

/** An app that the attempt waits for the first code of; its secret. */
async function storePending({ id }: Person, { flowId }: Step): Promise<Buffer> {
  const secret = randomBytes(20);
  await world().service.database.query(
    `with pending as (
       insert into credentials (user_id, kind, factor, sealed_secret) values ($1, 'totp', 2, $2) returning id
     )
     update login_attempts set credential_id = pending.id from pending where handle_hash = sha256($3)`,
    [id, sealTotp(id, secret), flowId],
  );
  return secret;
}

/** A row as SQL has it: `stored`, or why it is refused. Nothing of it is kept. */
async function storeSession(
  { id }: Person,
  roleKey: string,
  proof: { readonly factor?: number; readonly credential_id?: number | undefined } = {},
  { guarded } = { guarded: true },
): Promise<string> {
  const columns = Object.keys(proof).map((name) => `, ${name}`);
  const values = Object.values(proof).map((value) => `, ${value}`);
  const off = guarded ? '' : 'alter table sessions disable trigger sessions_guard;';
  try {
    await world().service.database.query(
      `begin; ${off}
       insert into sessions (jti, user_id, role_key, kid, epoch, issued_at, expires_at ${columns.join('')})
         select 'old-${id}', users.id, '${roleKey}', kid, users.epoch, now(), now() + interval '1 hour' ${values.join('')}
         from keys, users where signing and users.id = ${id};
       rollback`,
    );
    return 'stored';
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}

/** An enrolment that would be an attack where it began. */
function expectNotBegun(answer: Answer, reason: string): void {
  failIfAttackSucceeded(answer.body.code === 200, 'an enrolment begins');
  expectNothing(answer, reason);
}

/** Refused, for this reason, and with nothing that could be used. */
function expectNothing(answer: Answer, reason: string): void {
  expect([answer.body.code, outcomeOf(answer)]).toEqual([400, reason]);
  expect(answer.text).not.toMatch(/secret|otpauth|token/);
}
