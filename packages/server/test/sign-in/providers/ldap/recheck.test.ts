// A directory is asked again while the provider and its people change: what the call counts has happened, and who has left is
// out whatever is wrong with the groups of others.
import { AppError } from '@portcullis/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectAttackFails, failIfAttackSucceeded } from '../../../../../../test/weaknesses/attack.ts';
import { DirectoryUnavailable } from '../../../../src/sign-in/providers/ldap/connection/directory-unavailable.ts';
import { endLinksOfNow } from '../../../../src/sign-in/providers/ldap/recheck-store.ts';
import { sweepLinks } from '../../../../src/sign-in/providers/link-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../fresh-database.ts';
import { seedDirectory } from '../../../seed-directory.ts';
import { createLinkedPeople, dnOf, to } from '../linked-people.ts';

let database: FreshDatabase;
let world: ReturnType<typeof createLinkedPeople>;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
  await database.store
    .insertInto('roles')
    .values([10, 11].map((id) => ({ id, role_key: `r${id}`, name: `Role ${id}`, data_scope: '5' })))
    .execute();
});
afterAll(() => database.drop());
beforeEach(() => {
  world = createLinkedPeople(database);
});

const [clerks, guests] = [dnOf('clerks'), dnOf('guests')];
const mapped = [to(clerks, 10), to(guests, 11)];
const recheck = (id: number) => world.recheckWith(Date.now).now(id);
const kindOf = (error: unknown) => (error instanceof AppError ? error.kind : String(error));

describe('a provider that changes meanwhile', () => {
  it('moves a person by the provider as it is then', async () => {
    const id = await world.addProvider('ldap', 'every_login', mapped);
    const person = await world.addPerson(id, 10, [guests]);
    world.whileAsked(async ({ asked }) => {
      if (asked === 1) await world.raiseEpoch(id);
    });
    const counts = await recheck(id);
    expectAttackFails((await world.placeOf(person)).roleId, { success: 10, failure: 11 });
    expect(counts).toMatchObject({ people: 1, moved: 1 });
    expect(await world.isIn(person)).toBe(false);
  });

  it('moves a person by the groups that are read last', async () => {
    const id = await world.addProvider('ldap', 'every_login', mapped);
    const person = await world.addPerson(id, 2, [clerks]);
    world.whileAsked(async ({ asked }) => {
      if (asked !== 1) return;
      world.changeListed(person, { groups: [guests] });
      await world.raiseEpoch(id);
    });
    expect(await recheck(id)).toMatchObject({ moved: 1 });
    expect((await world.placeOf(person)).roleId).toBe(11);
  });

  it('rejects the call where it changes each time that a person is judged', async () => {
    const id = await world.addProvider('ldap', 'every_login', mapped);
    const person = await world.addPerson(id, 10, [guests]);
    let judged = 0;
    world.whileAsked(async ({ withGroups }) => {
      if (!withGroups) return;
      judged += 1;
      await world.raiseEpoch(id);
    });
    const outcome = await recheck(id).then(() => 'answered', kindOf);
    expectAttackFails(outcome, { success: 'answered', failure: 'unavailable' });
    expect(judged).toBe(3);
    expect((await world.placeOf(person)).roleId).toBe(10);
  });

  it('still ends the session of a person who is missing there', async () => {
    const id = await world.addProvider('ldap', 'every_login', mapped);
    const leaver = await world.addPerson(id, 10, [clerks]);
    world.changeListed(leaver, { state: 'disabled' });
    world.whileAsked(() => world.raiseEpoch(id));
    expect(await recheck(id)).toMatchObject({ disabled: 1, moved: 0 });
    expect(await world.isIn(leaver)).toBe(false);
  });
});

describe('the count of moved people', () => {
  it('moves a person whose role changes between the look and the move', async () => {
    const id = await world.addProvider('ldap', 'every_login', mapped);
    const person = await world.addPerson(id, 10, [guests]);
    world.whileAsked(async ({ asked }) => {
      if (asked === 1) await world.setUser(person, { role_id: 2, department_id: 2 });
    });
    expect(await recheck(id)).toMatchObject({ moved: 1 });
    expect(await world.placeOf(person)).toEqual({ roleId: 11, departmentId: 2 });
  });

  it('moves a person who had the right role before the check and has another one after it', async () => {
    const id = await world.addProvider('ldap', 'every_login', mapped);
    const person = await world.addPerson(id, 11, [guests]);
    world.whileAsked(async ({ asked }) => {
      if (asked === 1) await world.setUser(person, { role_id: 10 });
    });
    const counts = await recheck(id);
    expectAttackFails((await world.placeOf(person)).roleId, { success: 10, failure: 11 });
    expect(counts).toMatchObject({ moved: 1 });
  });

  it('keeps the last administrator, who is not counted', async () => {
    const id = await world.addProvider('ldap', 'every_login', mapped);
    const person = await world.addPerson(id, 1, [guests]);
    const counts = await recheck(id);
    failIfAttackSucceeded(counts.moved > 0, 'the call says that it moved the person');
    expect(counts).toMatchObject({ people: 1, moved: 0 });
    expect((await world.placeOf(person)).roleId).toBe(1);
    await world.setUser(person, { role_id: 2 });
  });

  it('does not count a person whom another change moved first', async () => {
    const id = await world.addProvider('ldap', 'every_login', mapped);
    const person = await world.addPerson(id, 10, [guests]);
    world.whileAsked(async ({ asked }) => {
      if (asked === 1) await world.setUser(person, { role_id: 11 });
    });
    expect(await recheck(id)).toMatchObject({ people: 1, moved: 0 });
  });
});

describe('a caller who lost the permission during the call', () => {
  it('rejects the call, and asks and stores nothing', async () => {
    const id = await world.addProvider('ldap');
    const leaver = await world.addPerson(id, 10, []);
    world.removeListed(leaver);
    const epoch = await world.epochOf(id);
    let asked = 0;
    world.whileAsked(async () => {
      asked += 1;
    });
    world.beforeWrite(async (_n, call) => {
      if ('caller' in call) throw new AppError('token_revoked');
    });
    const outcome = await recheck(id).then(() => 'answered', kindOf);
    expectAttackFails(outcome, { success: 'answered', failure: 'token_revoked' });
    expect([asked, await world.epochOf(id), await world.isIn(leaver)]).toEqual([0, epoch, true]);
  });
});

describe('groups that cannot be read', () => {
  it('ends the sessions of missing and disabled people before any group is read', async () => {
    const id = await world.addProvider('ldap', 'every_login', mapped);
    const [gone, disabled, stayer] = [
      await world.addPerson(id, 10, [clerks]),
      await world.addPerson(id, 10, [clerks]),
      await world.addPerson(id, 10, [clerks]),
    ];
    world.removeListed(gone);
    world.changeListed(disabled, { state: 'disabled' });
    world.whileAsked(async ({ withGroups }) => {
      if (withGroups)
        throw new AppError('provider_unavailable', { cause: new DirectoryUnavailable('too_much') });
    });
    const outcome = await recheck(id).then(() => 'answered', kindOf);
    const areIn = await Promise.all([gone, disabled, stayer].map(world.isIn));
    failIfAttackSucceeded(areIn.every(Boolean), 'people who left keep their sessions');
    expect([outcome, areIn]).toEqual(['provider_unavailable', [false, false, true]]);
  });

  it.each(['too_many_groups', 'groups_too_deep'] as const)(
    'ends the session of a person with %s, whom a star would let in, and of no other',
    async (groups) => {
      const id = await world.addProvider('ldap', 'every_login', [to('*', 10)]);
      const [beyond, other] = [await world.addPerson(id, 10, []), await world.addPerson(id, 10, [])];
      world.changeListed(beyond, { groups });
      const counts = await recheck(id);
      failIfAttackSucceeded(await world.isIn(beyond), 'the star lets the person in');
      expect(counts).toMatchObject({ people: 2, unmapped: 1 });
      expect(await world.isIn(other)).toBe(true);
    },
  );

  it('keeps the session of such a person where groups decide nothing', async () => {
    const id = await world.addProvider('ldap', 'first_login', mapped);
    const person = await world.addPerson(id, 10, []);
    world.changeListed(person, { groups: 'too_many_groups' });
    expect(await recheck(id)).toMatchObject({ people: 1, unmapped: 0 });
    expect(await world.isIn(person)).toBe(true);
  });
});

describe('without a call', () => {
  it('rechecks a directory every `recheckMinutes`, and ends the session of a person who is missing by then', async () => {
    const id = await world.addProvider('ldap', 'local', [], { recheckMinutes: 1 });
    const person = await world.addPerson(id, 10, []);
    // What is due is kept by the clock of Postgres: the first look was two minutes ago.
    const minutesAgo = (minutes: number) => () => Date.now() - minutes * 60_000;
    await world.recheckWith(minutesAgo(2)).sweep();
    world.removeListed(person);
    expect(await world.isIn(person)).toBe(true);
    await sweepLinks(database.store);
    await world.recheckWith(minutesAgo(0)).sweep();
    expect(await world.isIn(person)).toBe(false);
  });

  it('asks a directory no earlier than that', async () => {
    const id = await world.addProvider('ldap', 'local', [], { recheckMinutes: 1 });
    const person = await world.addPerson(id, 10, []);
    await world.recheckWith(Date.now).sweep();
    world.removeListed(person);
    await sweepLinks(database.store);
    await world.recheckWith(Date.now).sweep();
    expect(await world.isIn(person)).toBe(true);
  });

  it('asks the next directory where one is away', async () => {
    const ids = [await world.addProvider('ldap'), await world.addProvider('ldap')];
    const people = [await world.addPerson(ids[0] ?? 0, 10, []), await world.addPerson(ids[1] ?? 0, 10, [])];
    people.forEach(world.removeListed);
    world.whileAsked(async ({ asked }) => {
      if (asked === 0) throw new AppError('provider_unavailable');
    });
    await world.recheckWith(Date.now).sweep();
    expect(await Promise.all(people.map(world.isIn))).toEqual([true, false]);
  });

  it('asks the next directory when one fails, and rejects afterwards', async () => {
    const ids = [await world.addProvider('ldap'), await world.addProvider('ldap')];
    const people = [await world.addPerson(ids[0] ?? 0, 10, []), await world.addPerson(ids[1] ?? 0, 10, [])];
    people.forEach(world.removeListed);
    world.whileAsked(async ({ asked }) => {
      if (asked === 0) throw new Error('Its secret does not open.');
    });
    const outcome = await world
      .recheckWith(Date.now)
      .sweep()
      .then(() => 'answered', String);
    const areIn = await Promise.all(people.map(world.isIn));
    failIfAttackSucceeded(areIn.every(Boolean), 'the second directory is not asked');
    expect(outcome).toContain('Some directories were not rechecked.');
    expect(areIn).toEqual([true, false]);
  });
});

it('ends the access of a person whose link is listed twice', async () => {
  const id = await world.addProvider('ldap');
  const person = await world.addPerson(id, 2, []);
  const link = { id: person.linkId, subject: person.subject };
  await database.store
    .transaction()
    .execute((transaction) => endLinksOfNow(transaction, id, [link, { ...link, id: link.id + 1 }]));
  expect(await world.isIn(person)).toBe(false);
});
