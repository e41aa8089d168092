// Threats, sign-in methods: who may see, take and demand factors, and what a token alone can do to those of its owner. Each attack is
// beside a call that differs in one thing and succeeds.
import { beforeAll, describe, expect, it } from 'vitest';
import { codeOf } from '../../rig/authenticator.ts';
import type { Answer } from '../../rig/http-client.ts';
import { password } from '../../rig/seed.ts';
import { useService } from '../../rig/use-service.ts';
import { type Bank, openBank, type PersonName } from '../delegation/branch-office.ts';
import { addArmed, addPerson, createSteps, outcomeOf, type Person } from './people.ts';

const limit = 5;
const service = useService({ mode: 'prod', settings: { THROTTLE_FAILURES_BEFORE_DELAY: String(limit) } });
let bank: Bank;
beforeAll(async () => {
  bank = await openBank(service());
});
const factorsOf = (name: PersonName) => `/users/${bank.ids[name]}/factors`;
const demandOf = (name: keyof Bank['roleIds']) => `/roles/${bank.roleIds[name]}/required-factor`;
const steps = () => createSteps(service().database, service().send);
const query = (text: string, values: readonly unknown[] = []) => service().database.query(text, values);

describe('T145 a caller who does not reach', () => {
  it('a user sees and takes no factors of that user, and those within reach they do', async () => {
    expect(await bank.call('boris', 'GET', factorsOf('tilda'))).toBe(404);
    expect(await bank.call('boris', 'GET', factorsOf('tomas'))).toBe(200);
    const before = await query('select id, epoch from users order by id');
    expect(await bank.call('boris', 'DELETE', factorsOf('tilda'))).toBe(404);
    expect(await bank.call('boris', 'DELETE', factorsOf('trude'))).toBe(401);
    expect(await bank.call('boris', 'DELETE', '/users/999999/factors')).toBe(404);
    expect(await query('select id, epoch from users order by id')).toEqual(before);
    expect(await query('select 1 from enrolment_codes')).toEqual([]);
    expect(await bank.call('boris', 'DELETE', factorsOf('tomas'))).toBe(200);
  });

  it('admin takes no factor of admin, and admin does', async () => {
    const ada = await addArmed(service().database, 'admin');
    expect(await bank.call('helen', 'DELETE', `/users/${ada.id}/factors`)).toBe(401);
    expect(
      await query('select 1 from credentials where user_id = $1 and ended_at is null', [ada.id]),
    ).toHaveLength(1);
    expect(await bank.call('admin', 'DELETE', `/users/${ada.id}/factors`)).toBe(200);
  });

  it('a role does not set what it demands, in either direction, and within reach does', async () => {
    const set = (who: PersonName | 'admin', role: keyof Bank['roleIds'], factor: number) =>
      bank.call(who, 'PUT', demandOf(role), { requiredFactor: factor });
    for (const [role, factor] of [
      ['officer', 2],
      ['teller', 2],
      ['treasurer', 2],
      ['helpdesk', 1],
    ] as const)
      expect(await set('boris', role, factor), role).toBe(401);
    expect(await set('admin', 'treasurer', 2)).toBe(200);
    expect(await set('boris', 'treasurer', 1)).toBe(401);
    expect(await bank.call('helen', 'PUT', '/roles/1/required-factor', { requiredFactor: 1 })).toBe(401);
    expect(await bank.call('admin', 'PUT', '/roles/1/required-factor', { requiredFactor: 1 })).toBe(200);
    const demands = await query('select role_key from roles where factor > 1');
    expect(demands).toEqual([{ role_key: 'treasurer' }]);
    // Once all tellers are his.
    await bank.call('admin', 'PUT', `/users/${bank.ids.tilda}/role`, { roleId: bank.roleIds.officer });
    expect(await set('boris', 'teller', 2)).toBe(200);
    expect(await set('boris', 'teller', 1)).toBe(200);
    await bank.call('admin', 'PUT', `/users/${bank.ids.tilda}/role`, { roleId: bank.roleIds.teller });
  });

  it('all rows learns no number of them, and a caller who sees all does', async () => {
    const read = async (who: PersonName) =>
      (await bank.send(who, 'GET', `${demandOf('teller')}?requiredFactor=2`)).body.data;
    for (const who of ['boris', 'hanna'] as const)
      expect(await read(who)).toEqual({ requiredFactor: 1, sessions: null, users: null });
    expect(await read('helen')).toEqual({ requiredFactor: 1, sessions: 0, users: 2 });
  });

  it('the endpoints by a rule reaches none of them', async () => {
    for (const [method, path, body] of [
      ['GET', factorsOf('olga'), undefined],
      ['DELETE', factorsOf('olga'), undefined],
      ['GET', demandOf('officer'), undefined],
      ['PUT', demandOf('officer'), { requiredFactor: 1 }],
    ] as const) {
      expect(await bank.call('tilda', method, path, body), path).toBe(401);
      expect(await bank.call('hanna', method, path, body), path).toBe(200);
    }
  });

  it('another person takes no own factor: it is left to the own password', async () => {
    expect(await bank.call('boris', 'DELETE', factorsOf('boris'))).toBe(409);
    expect(await bank.call('admin', 'DELETE', '/users/1/factors')).toBe(409);
    expect(await bank.call('hanna', 'DELETE', factorsOf('boris'))).toBe(200);
  });
});

describe('T147 the body of a change', () => {
  it('sets no demand and no factor where it has no such field, and without the field it is taken', async () => {
    const role = { name: 'Teller', dataScope: '5' };
    const roleId = bank.roleIds.teller;
    const person = { name: 'Tilda', departmentId: bank.departments.head };
    for (const [method, path, body, more] of [
      ['PUT', `/roles/${roleId}`, role, { requiredFactor: 1 }],
      ['POST', '/roles', { ...role, roleKey: 'cashier' }, { requiredFactor: 3 }],
      ['PUT', `/users/${bank.ids.tilda}`, person, { factors: [] }],
      ['PUT', `/roles/${roleId}/required-factor`, { requiredFactor: 1 }, { roleId: 1 }],
      ['PUT', `/roles/${roleId}/required-factor`, { requiredFactor: 1 }, { requiredFactor: 0 }],
      ['PUT', `/roles/${roleId}/required-factor`, { requiredFactor: 1 }, { requiredFactor: 4 }],
      ['PUT', `/roles/${roleId}/required-factor`, { requiredFactor: 1 }, { requiredFactor: '2' }],
      ['PUT', `/roles/${roleId}/required-factor`, { requiredFactor: 1 }, { requiredFactor: null }],
    ] as const) {
      expect(
        await bank.call('admin', method, path, { ...body, ...more }),
        `${path} ${JSON.stringify(more)}`,
      ).toBe(400);
      expect(await bank.call('admin', method, path, body), path).toBe(200);
    }
  });
});

describe('T146 a token that was left open', () => {
  interface Open extends Person {
    call(method: string, path: string, body?: object): Promise<Answer>;
  }
  async function signIn(person: Person, token: unknown): Promise<Open> {
    const headers = { authorization: `Bearer ${token}` };
    return {
      ...person,
      call: (method, path, body) =>
        service().send({ method, path: `/api/v1/user${path}`, headers, ...(body && { body }) }),
    };
  }
  const openPlain = async () => {
    const person = await addPerson(service().database);
    return await signIn(person, (await steps().logInPlainly(person)).body.token);
  };
  const openArmed = async () => {
    const person = await addArmed(service().database);
    return await signIn(person, (await steps().complete(person)).body.token);
  };
  const own = { oldPassword: password };

  it('changes nothing of how its owner logs in without the password, and with it does', async () => {
    const { id, call } = await openArmed();
    const { items } = (await call('GET', '/factors')).body.data as { items: { id: number }[] };
    const kept = () =>
      query('select id, kind, confirmed_at, ended_at from credentials where user_id = $1 order by id', [id]);
    const codes = () =>
      query('select hash, used_at from recovery_codes where user_id = $1 order by hash', [id]);
    const before = [await kept(), await codes()];
    const changes = [
      ['POST', '/factors/totp'],
      ['POST', '/recovery-codes'],
      ['PUT', `/factors/${items[0]?.id}/ended`],
    ] as const;
    for (const [method, path] of changes) {
      expect(outcomeOf(await call(method, path, { oldPassword: 'wrong' }))).toBe('credentials_wrong');
      for (const body of [
        {},
        { oldPassword: '' },
        { oldPassword: null },
        { otp: '000000' },
        { ...own, userId: 1 },
        { ...own, id: 1 },
      ])
        expect(outcomeOf(await call(method, path, body)), JSON.stringify(body)).toBe('params_invalid');
    }
    expect([await kept(), await codes()]).toEqual(before);
    for (const [method, path] of changes) expect((await call(method, path, own)).body.code, path).toBe(200);
  });

  it('has five guesses of the password over all of it, which lock out neither its owner nor anybody else', async () => {
    const [one, other] = [await openPlain(), await openPlain()];
    const paths = ['/factors/totp', '/recovery-codes'];
    for (let guesses = 0; guesses < limit; guesses += 1) {
      const answer = await one.call('POST', paths[guesses % 2] ?? '', { oldPassword: `wrong${guesses}` });
      expect(outcomeOf(answer)).toBe('credentials_wrong');
    }
    for (const path of paths) expect(outcomeOf(await one.call('POST', path, own))).toBe('rate_limited');
    expect((await other.call('POST', '/factors/totp', own)).body.code).toBe(200);
    expect(outcomeOf(await steps().logInPlainly(one))).toBe('in');
  });

  it('has no endless guesses of the code of an app that its owner was setting up', async () => {
    const [one, other] = [await openPlain(), await openPlain()];
    const add = async (person: Open) =>
      (await person.call('POST', '/factors/totp', own)).body.data as { id: number; secret: string };
    const [pending, ofOther] = [await add(one), await add(other)];
    const confirm = async (person: Open, id: number, otp: string) =>
      outcomeOf(await person.call('PUT', `/factors/${id}/confirmed`, { otp }));
    const near = await Promise.all([-1, 0, 1, 2].map((n) => codeOf(pending.secret, Date.now() + n * 30_000)));
    const wrong =
      ['000000', '111111', '222222', '333333', '444444'].find((code) => !near.includes(code)) ?? '';
    let looked = 0;
    while ((await confirm(one, pending.id, wrong)) === 'credentials_wrong' && looked < 100) looked += 1;
    // The right password, which was given before, does not count for codes.
    expect(looked).toBe(limit);
    expect(await confirm(one, pending.id, await codeOf(pending.secret))).toBe('rate_limited');
    expect(await confirm(other, ofOther.id, await codeOf(ofOther.secret))).toBe('200');
  });

  it('reaches no factor of another person, by its number', async () => {
    const [one, other] = [await openArmed(), await openArmed()];
    const { items } = (await other.call('GET', '/factors')).body.data as { items: { id: number }[] };
    const id = items[0]?.id;
    expect((await one.call('PUT', `/factors/${id}/ended`, own)).body.code).toBe(404);
    expect((await one.call('PUT', `/factors/${id}/confirmed`, { otp: '000000' })).body.code).toBe(404);
    expect((await other.call('PUT', `/factors/${id}/ended`, own)).body.code).toBe(200);
  });
});
