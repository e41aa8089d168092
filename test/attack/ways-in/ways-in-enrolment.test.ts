// Threats, ways in: a factor that is set up on the way in, what a role demands, and what changes between two steps. Where a
// control needs it, the same is done to a careless service, which lets it succeed.
import { describe, expect, it } from 'vitest';
import { eventually } from '../../conformance/eventually.ts';
import { expectLoginRefusal } from '../../conformance/expect-refusal.ts';
import { codeOf } from '../../rig/authenticator.ts';
import type { Answer } from '../../rig/http-client.ts';
import { password } from '../../rig/seed.ts';
import { addArmed, addPerson, outcomeOf, type Person, type Steps } from './people.ts';
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
  it('is refused where nothing is demanded any more, and carelessly begun', async () => {
    const { steps, careless, addRole, byAdmin } = world();
    const role = await addRole(2);
    const [person, other] = [await plain(role.key), await plain(role.key)];
    const [step, timely] = [await steps.prove(person), await steps.prove(other)];
    expect((await steps.enrol(timely)).body.code).toBe(200);
    await byAdmin('PUT', `/roles/${role.id}/factor`, { factor: 1 });
    expectNothing(await steps.enrol(step), 'factor_required');
    expect((await careless.enrol(step)).body.code).toBe(200);
  });

  it('is refused where there is a factor, whether or not the role demands one, and the factor stands', async () => {
    const { steps, careless, strict, lax } = world();
    for (const role of [strict, lax]) {
      const person = await arm(role.key);
      const step = await steps.prove(person);
      for (const kind of ['totp', 'passkey'])
        expectNothing(await steps.enrol(step, { kind }), 'factor_required');
      expect((await careless.enrol(step)).body.code).toBe(200);
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
    const { service, steps, careless, strict } = world();
    const [lost, other] = [await arm(strict.key), await arm(strict.key)];
    const old = await take(lost);
    const [enrolmentCode, foreign] = [await take(lost), await take(other)];
    const step = await steps.prove(lost);
    for (const wrong of [{}, { enrolmentCode: foreign }, { enrolmentCode: old }])
      expectNothing(await steps.enrol(step, wrong), 'credentials_wrong');
    expect((await careless.enrol(await careless.prove(lost))).body.code).toBe(200);

    const move = (interval: string) =>
      service.database.query(
        'update enrolment_codes set expires_at = expires_at + $2::interval where user_id = $1',
        [lost.id, interval],
      );
    await move('-24 hours');
    expectNothing(await steps.enrol(step, { enrolmentCode }), 'credentials_wrong');
    await move('24 hours');
    const enrolled = await steps.enrol(await steps.prove(lost), {
      enrolmentCode: enrolmentCode.toLowerCase(),
    });
    expect(enrolled.body.code).toBe(200);
  });

  it('enrols once with it', async () => {
    const { steps, strict, byAdmin } = world();
    const lost = await arm(strict.key);
    const enrolmentCode = await take(lost);
    const step = await steps.prove(lost);
    const enrolled = await steps.enrol(step, { enrolmentCode });
    expect(outcomeOf(await steps.logIn({ ...step, ...(await codeAfter(enrolled)) }))).toBe('in');
    const [row] = await world().service.database.query('select 1 from enrolment_codes where user_id = $1', [
      lost.id,
    ]);
    expect(row).toBeUndefined();
    // Also where the factor is lost again.
    await byAdmin('DELETE', `/users/${lost.id}/factors`);
    expectNothing(await steps.enrol(await steps.prove(lost), { enrolmentCode }), 'credentials_wrong');
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
    const { service, steps, careless, strict } = world();
    for (const [confirmer, expected] of [
      [steps, 'captcha_wrong'],
      [careless, 'in'],
    ] as const) {
      const victim = await addPerson(service.database, strict.key);
      const [own, other] = [await steps.prove(victim), await steps.prove(victim)];
      const first = await steps.enrol(own);
      expect(outcomeOf(await steps.logIn({ ...own, otp: await codeOf(secretOf(first)) }))).toBe('in');
      // As if it had been asked for just before.
      const late = await careless.enrol(other);
      expect(outcomeOf(await confirmer.logIn({ ...other, otp: await codeOf(secretOf(late)) }))).toBe(
        expected,
      );
      const { id } = first.body.data as { id: number };
      expect(await listFactors(victim)).toContainEqual({ id, stands: confirmer === steps });
    }
  });

  it('at once, the first is in, and the second begins again', async () => {
    const { service, steps, careless, strict } = world();
    const { database } = service;
    const countWaiting = async () =>
      (
        await database.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).length;
    async function race(entrance: Steps): Promise<{ first: string; second: string }> {
      const victim = await addPerson(database, strict.key);
      const [own, other] = [await steps.prove(victim), await steps.prove(victim)];
      const otp = await codeOf(secretOf(await steps.enrol(own)));
      const release = await database.lock('credentials', { readersPass: true });
      const confirming = entrance.logIn({ ...own, otp });
      await eventually(countWaiting).toBe(1);
      const enrolling = entrance.enrol(other);
      await eventually(countWaiting).toBe(2);
      await release();
      return { first: outcomeOf(await confirming), second: outcomeOf(await enrolling) };
    }
    expect(await race(steps)).toEqual({ first: 'in', second: 'captcha_wrong' });
    expect(await race(careless)).toMatchObject({ second: '200' });
  });
});

describe('T142 what changes between two steps', () => {
  const changes: [
    what: string,
    succeedsCarelessly: boolean,
    change: (person: Person, role: Role) => Promise<unknown>,
  ][] = [
    ['another password', true, ({ id }) => world().byAdmin('PUT', `/users/${id}/password`, {})],
    [
      'another role',
      true,
      ({ id }) => world().byAdmin('PUT', `/users/${id}/role`, { roleId: world().strict.id }),
    ],
    [
      'a user who was disabled',
      true,
      ({ id }) => world().byAdmin('PUT', `/users/${id}/enabled`, { enabled: false }),
    ],
    [
      'a role that was disabled',
      true,
      (_person, { id }) => world().byAdmin('PUT', `/roles/${id}/enabled`, { enabled: false }),
    ],
    ['a user who was deleted', false, ({ id }) => world().byAdmin('DELETE', `/users/${id}`)],
    ['sessions that were all ended', true, ({ id }) => world().byAdmin('DELETE', `/users/${id}/sessions`)],
    ['factors that were taken', false, ({ id }) => world().byAdmin('DELETE', `/users/${id}/factors`)],
  ];

  it.each(changes)('lets no code and no enrolment through: %s', async (_what, succeedsCarelessly, change) => {
    const { steps, careless, addRole } = world();
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
      expect(['captcha_wrong', 'credentials_wrong']).toContain(outcomeOf(await steps.logIn(body)));
    expect(['captcha_wrong', 'credentials_wrong']).toContain(outcomeOf(await steps.enrol(enrolling)));
    expect(await listFactors(fresh)).toEqual([]);
    if (!succeedsCarelessly) return;
    expect(outcomeOf(await careless.logIn({ ...proven, otp }))).toBe('in');
    expect(outcomeOf(await careless.logIn({ ...enrolling, ...code }))).toBe('in');
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

  it('a factor of somebody else, or one that ended', async () => {
    const { service, lax } = world();
    const [one, other] = [await arm(lax.key), await arm(lax.key)];
    const [own, foreign] = await Promise.all(
      [one, other].map(async (person) => Number((await listFactors(person))[0]?.id)),
    );
    expect(await storeSession(one, lax.key, { factor: 2, credential_id: foreign })).toBe('PF001');
    expect(await storeSession(one, lax.key, { factor: 2, credential_id: own })).toBe('stored');
    await service.database.query('update credentials set ended_at = now() where id = $1', [own]);
    expect(await storeSession(one, lax.key, { factor: 2, credential_id: own })).toBe('PF001');
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
      await byAdmin('PUT', `/roles/${role.id}/factor`, { factor: 2 });
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

/** Refused, for this reason, and with nothing that could be used. */
function expectNothing(answer: Answer, reason: string): void {
  expect([answer.body.code, outcomeOf(answer)]).toEqual([400, reason]);
  expect(answer.text).not.toMatch(/secret|otpauth|token/);
}
